"""Single resamples of a bundle's bootstrap, by both implementations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from assay.data.model import Cases, Floats
from assay.evaluation.absence import absence
from assay.evaluation.resample import Strata, draws, replicates
from assay.evaluation.result import Result
from assay.evaluation.score import Scored
from assay.metrics.catalogue import metric
from assay.verify.findings import Finding

JOINED = "\u001f"


@dataclass(frozen=True, slots=True)
class Sampled:
    """The first resamples of a bundle's bootstrap, and what each measure is under them."""

    strata: Strata
    counts: Floats
    measures: dict[str, tuple[Scored, bool]]


def write_draws(result: Result, cases: Cases, path: Path, many: int) -> Sampled | None:
    """Write the first draws for the second implementation; None where no measure has intervals."""
    plan = result.bootstrap
    bounded = [value for value in result if value.interval is not None]
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


def draw_findings(sampled: Sampled, theirs: Mapping[str, Sequence[float | None]]) -> list[Finding]:
    """The resample on which the two implementations are furthest apart, one finding a measure."""
    found = []
    ours = replicates(list(sampled.measures.values()), sampled.strata, [sampled.counts])
    for name, mine in zip(sampled.measures, ours, strict=True):
        what, other = f"draws/{name}", theirs.get(f"draws/{name}")
        if other is None:
            reason = "the second implementation gave no resamples"
            found.append(Finding(what, float(mine.values[0]), None, reason))
            continue
        limit = min(len(mine.values), len(other))
        apart = np.abs(mine.values[:limit] - np.array(other[:limit], dtype=np.float64))
        worst = int(np.argmax(apart))
        found.append(Finding(what, float(mine.values[worst]), other[worst]))
    return found
