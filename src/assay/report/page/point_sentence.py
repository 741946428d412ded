"""The operating point of a measure in words, so that no two numbers of one name mean different things."""

from __future__ import annotations

from collections.abc import Mapping

POINTS = {
    "0.5": "at p ≥ 0.5",
    "not_neg": "screening: not NEG, p ≥ τ_neg",
    "pos": "alerts: POS, p ≥ τ_pos",
    "returned": "something returned, K ≥ 1",
}


RULES = {
    "fpr": "false positive rate of at most {}",
    "sensitivity": "sensitivity of at least {}",
    "conformal": "sensitivity of at least {} on average over samples",
    "precision": "precision of at least {}",
}


def rule_words(rule: str) -> str | None:
    """Return what a rule asks for on TUNE, such as `fpr_0.05`; None for a rule without a limit in its name.

    >>> rule_words("fpr_0.05"), rule_words("sensitivity_0.995")
    ('false positive rate of at most 5%', 'sensitivity of at least 99.5%')
    """
    kind, _, limit = rule.partition("_")
    if rule == "f1":
        return "highest F1"
    try:
        return RULES[kind].format(f"{100 * float(limit):.4g}%")
    except (KeyError, ValueError):
        return None


def operating_point(params: Mapping[str, object], rule: str | None) -> str | None:
    """Return where a measure of decisions is taken; None for a measure that needs no decision.

    `rule` is the rule of the contract's deployment threshold, which plain `tune` means.
    """
    at, threshold = str(params.get("at", "")), str(params.get("threshold", ""))
    if at in POINTS:
        return POINTS[at]
    chosen = at.partition("_")[2] or rule
    if at.partition("_")[0] == "tune":
        return f"at the threshold of {chosen or 'the rule'}, chosen on TUNE"
    if threshold == "tune":
        return "at a threshold chosen on TUNE"
    return "at a threshold chosen on the scored queries" if threshold == "same" else None
