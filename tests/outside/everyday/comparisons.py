"""Which measure is compared with what, on how many values, and how far apart they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from assay.contracts.contract_toml import SHIPPED, contract
from assay.errors import MeasureError
from assay.metrics.core.entry import Metric
from assay.metrics.core.names.parameter import Parameter
from assay.metrics.core.registry import FAMILIES, metric

from .case import Case, draw
from .evaluated import trec_result, values
from .peers import PEERS, TREC, between_edges, geometric, mapie_ece, torch_error, trec_peer, without_zero
from .reference.definition import FAMILIES as REFERENCED
from .references import reference

REFERENCE = "reference from the formula"
NOT_COMPARED = "Not compared with anything outside assay and its second implementation: "
TREC_EVAL = "pytrec_eval"
GEOMETRIC = {
    "gm_map:floor=0.00001,rel=1,on=predicted": "map",
    "gm_bpref:floor=0.00001,rel=1,on=predicted": "bpref",
}
"""Geometric means, to pytrec_eval's names of what is averaged."""
ECE = "ece:bins=10,on=all"
RELIABILITY = "brier_reliability:bins=10,on=all"
CERTIFIED = ("at=tune,", "at=tune_sensitivity", "at=tune_precision", "at=tune_conformal")
"""Thresholds with a confidence: compared in tests/outside/test_thresholds.py."""
VALUES = {
    "rel": ("1", "2"),
    "gmax": ("1", "3"),
    "bins": ("1", "10", "15", "20"),
    "beta": ("0.5", "2"),
    "target": ("0.5", "3"),
    "p": ("0.5", "0.9"),
    "floor": ("0.00001", "0.01"),
    "epsilon": ("0.00001", "0.01"),
    "clip": ("0.000001", "0.01"),
    "at": ("0.5", "0.2", "0.3", "0.7", "not_neg", "pos", "returned", "tune_f1", "tune_fpr_0.05"),
}
"""Values to try of parameters that are numbers or decisions."""


@dataclass(frozen=True)
class Compared:
    """One value of assay next to one from elsewhere."""

    family: str
    definition: str
    peer: str
    ours: float
    theirs: float

    @property
    def apart(self) -> float:
        return abs(self.ours - self.theirs)


def variants(name: str) -> Iterator[Metric]:
    """Yield the family at its defaults, and with one parameter or the cut-off changed."""
    base = FAMILIES[name].sample()
    yield base
    for parameter in FAMILIES[name].parameters:
        if parameter.later:
            continue
        spelled = parameter.values or VALUES.get(parameter.name, ("0.25", "3"))
        if parameter.name == "at" and parameter.number == "share":
            spelled = ("0.5", "0.2", "0.7")
        for value in filter(partial(_permits, parameter), spelled):
            yield metric(re.sub(rf"\b{parameter.name}=[^,]+", f"{parameter.name}={value}", base.id))
    cuts = {"@10": ("1", "3", "all"), "@0.10": ("0.01", "0.50")}.get(base.name.removeprefix(name), ())
    for cut in (*cuts, *(("5",) if name == "mrr" else ())):
        yield metric(base.id.replace(base.name, f"{name}@{cut}"))


def _permits(parameter: Parameter, value: str) -> bool:
    try:
        parameter.convert(value)
    except (ValueError, MeasureError):
        return False
    return True


def definitions() -> list[str]:
    """Return every definition of a shipped contract and variants, of measures with a reference."""
    shipped = (metric(text).id for name in SHIPPED for text in contract(name).names.values())
    made = (each.id for name in FAMILIES for each in variants(name))
    found = dict.fromkeys((*shipped, *made))
    return [
        each for each in found if _family(each) in REFERENCED and not any(rule in each for rule in CERTIFIED)
    ]


def compared(seeds: Iterable[int]) -> Iterator[Compared]:
    """Yield every comparison on the cases of these seeds."""
    asked = definitions()
    for seed in seeds:
        case = draw(seed)
        usable = [each for each in asked if _takes(each, case)]
        ours = values(case, [*usable, *(each for each in PEERS if each not in usable)])
        for definition in usable:
            if definition in ours:
                yield _row(definition, REFERENCE, ours[definition], reference(definition, case))
        for definition, (name, peer) in PEERS.items():
            theirs = peer(case)
            if theirs is not None:
                yield _row(definition, name, ours[definition], theirs)
        yield from _per_query(case)
        yield from _binned(case)


def _per_query(case: Case) -> Iterator[Compared]:
    """Compare plain rankings with pytrec_eval query by query, and their geometric mean."""
    theirs = trec_peer(case)
    if not theirs:
        return
    result = trec_result(case, [*TREC, *GEOMETRIC])
    frame = {row["query_id"]: row for row in result.per_query().iter_rows(named=True)}
    for query, found in theirs.items():
        for definition, name in TREC.items():
            yield _row(definition, TREC_EVAL, frame[query][definition], found[name])
    for definition, name in GEOMETRIC.items():
        peer = f"SciPy on pytrec_eval's {name}"
        yield _row(definition, peer, result[definition].value, geometric(case, name))


def _binned(case: Case) -> Iterator[Compared]:
    kept = without_zero(case)
    if kept is not None:
        yield _row(ECE, "MAPIE", values(kept, [ECE])[ECE], mapie_ece(kept))
    inner = between_edges(case)
    if inner is not None:
        ours = values(inner, [ECE, RELIABILITY])
        yield _row(ECE, "torchmetrics", ours[ECE], torch_error(inner, "l1"))
        yield _row(RELIABILITY, "torchmetrics", ours[RELIABILITY], torch_error(inner, "l2") ** 2)


def _takes(definition: str, case: Case) -> bool:
    """A scale of grades must reach the highest grade."""
    scale = re.search(r"gmax=(\d+)", definition)
    top = max((grade for query in case.queries for grade in query.judged.values()), default=0)
    return scale is None or top <= int(scale[1])


def _row(definition: str, peer: str, ours: float, theirs: float) -> Compared:
    return Compared(_family(definition), definition, peer, ours, theirs)


def _family(definition: str) -> str:
    return definition.partition(":")[0].partition("@")[0]
