"""Compare single resamples of a bundle's bootstrap between both implementations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from assay.array_types import Floats
from assay.data.cases import Cases
from assay.evaluation.intervals.resample import Strata, draws, replicates
from assay.evaluation.result import Result
from assay.evaluation.scoring.score_all import absence
from assay.metrics.core.entry import Scored
from assay.metrics.core.registry import metric
from assay.verification.recompute.number_findings import NumberFinding
from assay.verification.recompute.recompute_document import user_defined

JOINED = "\u001f"


@dataclass(frozen=True, slots=True)
class Sampled:
    """The first resamples of a bundle's bootstrap, and the measures to compute on them."""

    strata: Strata
    counts: Floats
    measures: dict[str, tuple[Scored, bool]]


def write_draws(result: Result, cases: Cases, path: Path, many: int) -> Sampled | None:
    """Write the first draws for the second implementation; None if no measure has intervals."""
    plan = result.bootstrap
    users = user_defined(result)
    bounded = [value for value in result.measures if value.interval and value.name not in users]
    if plan is None or not bounded:
        return None
    strata = Strata.of(cases, plan.unit)
    many = min(many, plan.resamples)
    blocks = draws(strata, many, plan.seed)
    counts = np.concatenate(list(islice(blocks, many)))
    units = _units(cases, plan.unit)
    with path.open("x", encoding="utf-8") as file:
        file.write(json.dumps({"units": units, "unit": plan.unit}) + "\n")
        for row in counts.astype(int).tolist():
            file.write(json.dumps(row) + "\n")
    measures = {
        value.name: (Scored.of(each, cases), value.aggregate == "fold_mean")
        for value in bounded
        if absence(cases, each := metric(value.definition)) is None  # a table may lack its column
    }
    return Sampled(strata, counts, measures)


def _units(cases: Cases, unit: str) -> list[str]:
    posts = cases.groupings.get("post_id")
    if unit == "post" and posts is not None:
        return list(posts.labels)
    return [JOINED.join(map(str, row)) for row in cases.keys.iter_rows()]


def draw_findings(sampled: Sampled, theirs: Mapping[str, Sequence[float | None]]) -> list[NumberFinding]:
    """Return one finding per measure: the resample on which both implementations differ most."""
    found = []
    ours = replicates(list(sampled.measures.values()), sampled.strata, [sampled.counts])
    for name, mine in zip(sampled.measures, ours, strict=True):
        what, other = f"draws/{name}", theirs.get(f"draws/{name}")
        if not other:
            reason = "the second implementation gave no resamples"
            found.append(NumberFinding(what, float(mine.values[0]), None, reason))
            continue
        limit = min(len(mine.values), len(other))
        apart = np.abs(mine.values[:limit] - np.array(other[:limit], dtype=np.float64))
        worst = int(np.argmax(apart))
        found.append(NumberFinding(what, float(mine.values[worst]), other[worst]))
    return found
