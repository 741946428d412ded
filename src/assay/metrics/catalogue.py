"""All measures there are, by name, frozen; and the way from a text to one of them."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from types import MappingProxyType

from assay.errors import MeasureError
from assay.metrics import cut, decisions, ranking, totals, uncut
from assay.metrics.entry import Metric
from assay.metrics.family import Family, family

_ALL = (
    family(ranking.recall, "recall", cut="required"),
    family(ranking.precision, "precision", cut="required"),
    family(ranking.hit, "hit", cut="required"),
    family(ranking.reciprocal_rank, "mrr", cut="optional"),
    family(ranking.average_precision, "map", cut="required"),
    family(ranking.ndcg, "ndcg", cut="required"),
    family(cut.f_measure, "f", cut="required"),
    family(cut.judged, "judged", cut="required"),
    family(cut.unjudged, "unjudged", cut="required"),
    family(uncut.r_precision, "rprec"),
    family(uncut.bpref, "bpref"),
    family(uncut.rank_biased_precision, "rbp"),
    family(uncut.expected_reciprocal_rank, "err", cut="required"),
    family(uncut.set_precision, "set_precision"),
    family(uncut.set_recall, "set_recall"),
    family(uncut.set_f, "set_f"),
    family(uncut.interpolated_precision, "iprec", cut="point"),
    family(uncut.eleven_point_average, "iprec_avg"),
    family(uncut.geometric_mean_ap, "gm_map"),
    family(totals.num_q, "num_q"),
    family(totals.num_ret, "num_ret"),
    family(totals.num_rel, "num_rel"),
    family(totals.num_rel_ret, "num_rel_ret"),
    family(totals.num_nonrel_judged_ret, "num_nonrel_judged_ret"),
    family(decisions.auroc, "auroc"),
    family(decisions.evidence_recall, "evidence_recall"),
    family(decisions.selected_k, "selected_k"),
)

FAMILIES: Mapping[str, Family] = MappingProxyType({entry.name: entry for entry in _ALL})

ALIASES: Mapping[str, str] = MappingProxyType(
    {"success": "hit", "hit_rate": "hit", "p": "precision", "recip_rank": "mrr", "rr": "mrr"}
)


@cache
def metric(text: str) -> Metric:
    """The measure of a definition id; parameters that are left out take their defaults."""
    head, _, spelled = text.partition(":")
    name, at, cutoff = head.partition("@")
    name = name if name in FAMILIES else ALIASES.get(name.lower(), name)
    if name not in FAMILIES:
        near = get_close_matches(name, [*FAMILIES, *ALIASES], n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "`assay metric list` names all"
        raise MeasureError(f"no measure is called {name!r}; {hint}")
    given: dict[str, str] = {}
    for part in filter(None, spelled.split(",")):
        parameter, equals, value = part.partition("=")
        if not equals or parameter in given:
            raise MeasureError(f"{text}: {part!r} is not one name=value")
        given[parameter] = value
    return FAMILIES[name].bind(cutoff if at else None, given)
