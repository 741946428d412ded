"""All measures there are, by name, frozen; and the way from a text to one of them."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from types import MappingProxyType

from assay.errors import MeasureError
from assay.metrics import (
    abstention,
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
    Family("auroc", gate.auroc, section="Gate"),
    Family("auprc", gate.auprc, section="Gate"),
    Family("pair_auroc", gate.pair_auroc, section="Gate"),
    Family("pair_auprc", gate.pair_auprc, section="Gate"),
    Family("score_auroc", gate.score_auroc, section="Gate"),
    Family("score_auprc", gate.score_auprc, section="Gate"),
    Family("tpr_at_fpr", gate.tpr_at_fpr, "point", section="Gate"),
    Family("fpr_reached", gate.fpr_reached, "point", section="Gate"),
    Family("tp", confusion.tp, section="Gate"),
    Family("fp", confusion.fp, section="Gate"),
    Family("tn", confusion.tn, section="Gate"),
    Family("fn", confusion.fn, section="Gate"),
    Family("sensitivity", confusion.sensitivity, section="Gate"),
    Family("specificity", confusion.specificity, section="Gate"),
    Family("fpr", confusion.fpr, section="Gate"),
    Family("fnr", confusion.fnr, section="Gate"),
    Family("ppv", confusion.ppv, section="Gate"),
    Family("npv", confusion.npv, section="Gate"),
    Family("f1", confusion.f1, section="Gate"),
    Family("accuracy", confusion.accuracy, section="Gate"),
    Family("mcc", confusion.mcc, section="Gate"),
    Family("balanced_accuracy", confusion.balanced_accuracy, section="Gate"),
    Family("expected_cost", confusion.expected_cost, section="Gate"),
    Family("net_benefit", confusion.net_benefit, "point", section="Gate"),
    Family("ece", calibration.ece, section="Calibration"),
    Family("ece_floor", calibration.ece_floor, section="Calibration"),
    Family("ece_debiased", calibration.ece_debiased, section="Calibration"),
    Family("brier", calibration.brier, section="Calibration"),
    Family("brier_reliability", calibration.brier_reliability, section="Calibration"),
    Family("brier_resolution", calibration.brier_resolution, section="Calibration"),
    Family("brier_uncertainty", calibration.brier_uncertainty, section="Calibration"),
    Family("calibration_slope", calibration.calibration_slope, section="Calibration"),
    Family("calibration_intercept", calibration.calibration_intercept, section="Calibration"),
    Family("aurc", risk.aurc, section="Calibration"),
    Family("eaurc", risk.eaurc, section="Calibration"),
    Family("nauc", abstention.nauc, "required", section="Calibration"),
    Family("selected_k", selection.selected_k, section="Dynamic K"),
    Family("evidence_recall", selection.evidence_recall, section="Dynamic K"),
    Family("evidence_precision", selection.evidence_precision, section="Dynamic K"),
    Family("utility", selection.utility, section="Dynamic K"),
    Family("rate", states.rate, section="Three states"),
    Family("alert_rate_per_1000", states.alert_rate_per_1000, section="Three states"),
    Family("screening_fn_per_1000", states.screening_fn_per_1000, section="Three states"),
    Family("exact_match", posts.exact_match, section="Posts and criteria"),
    Family("hamming_score", posts.hamming_score, section="Posts and criteria"),
    Family("hamming_loss", posts.hamming_loss, section="Posts and criteria"),
    Family("macro_f1", posts.macro_f1, section="Posts and criteria"),
    Family("weighted_f1", posts.weighted_f1, section="Posts and criteria"),
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
