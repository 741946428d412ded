"""All measures there are, by name, frozen; and the way from a text to one of them."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from types import MappingProxyType

from assay.errors import MeasureError
from assay.metrics import (
    calibration,
    confusion,
    cut,
    gate,
    posts,
    ranking,
    risk,
    selection,
    states,
    totals,
    uncut,
)
from assay.metrics.entry import Metric
from assay.metrics.family import Family

_ALL = (
    Family("recall", ranking.recall, "required"),
    Family("precision", ranking.precision, "required"),
    Family("hit", ranking.hit, "required"),
    Family("mrr", ranking.reciprocal_rank, "optional"),
    Family("map", ranking.average_precision, "required"),
    Family("ndcg", ranking.ndcg, "required"),
    Family("f", cut.f_measure, "required"),
    Family("judged", cut.judged, "required"),
    Family("unjudged", cut.unjudged, "required"),
    Family("rprec", uncut.r_precision),
    Family("bpref", uncut.bpref),
    Family("rbp", uncut.rank_biased_precision),
    Family("err", uncut.expected_reciprocal_rank, "required"),
    Family("set_precision", uncut.set_precision),
    Family("set_recall", uncut.set_recall),
    Family("set_f", uncut.set_f),
    Family("iprec", uncut.interpolated_precision, "point"),
    Family("iprec_avg", uncut.eleven_point_average),
    Family("gm_map", uncut.geometric_mean_ap),
    Family("num_q", totals.num_q),
    Family("num_ret", totals.num_ret),
    Family("num_rel", totals.num_rel),
    Family("num_rel_ret", totals.num_rel_ret),
    Family("num_nonrel_judged_ret", totals.num_nonrel_judged_ret),
    Family("auroc", gate.auroc),
    Family("auprc", gate.auprc),
    Family("pair_auroc", gate.pair_auroc),
    Family("pair_auprc", gate.pair_auprc),
    Family("tpr_at_fpr", gate.tpr_at_fpr, "point"),
    Family("fpr_reached", gate.fpr_reached, "point"),
    Family("tp", confusion.tp),
    Family("fp", confusion.fp),
    Family("tn", confusion.tn),
    Family("fn", confusion.fn),
    Family("sensitivity", confusion.sensitivity),
    Family("specificity", confusion.specificity),
    Family("fpr", confusion.fpr),
    Family("fnr", confusion.fnr),
    Family("ppv", confusion.ppv),
    Family("npv", confusion.npv),
    Family("f1", confusion.f1),
    Family("accuracy", confusion.accuracy),
    Family("mcc", confusion.mcc),
    Family("balanced_accuracy", confusion.balanced_accuracy),
    Family("expected_cost", confusion.expected_cost),
    Family("net_benefit", confusion.net_benefit, "point"),
    Family("ece", calibration.ece),
    Family("ece_floor", calibration.ece_floor),
    Family("ece_debiased", calibration.ece_debiased),
    Family("brier", calibration.brier),
    Family("brier_reliability", calibration.brier_reliability),
    Family("brier_resolution", calibration.brier_resolution),
    Family("brier_uncertainty", calibration.brier_uncertainty),
    Family("calibration_slope", calibration.calibration_slope),
    Family("calibration_intercept", calibration.calibration_intercept),
    Family("aurc", risk.aurc),
    Family("eaurc", risk.eaurc),
    Family("selected_k", selection.selected_k),
    Family("evidence_recall", selection.evidence_recall),
    Family("evidence_precision", selection.evidence_precision),
    Family("utility", selection.utility),
    Family("rate", states.rate),
    Family("alert_rate_per_1000", states.alert_rate_per_1000),
    Family("screening_fn_per_1000", states.screening_fn_per_1000),
    Family("exact_match", posts.exact_match),
    Family("hamming_score", posts.hamming_score),
    Family("hamming_loss", posts.hamming_loss),
    Family("macro_f1", posts.macro_f1),
    Family("weighted_f1", posts.weighted_f1),
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
