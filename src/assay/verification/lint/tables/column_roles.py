"""What a column or row that is not a measure holds: a change, spread, interval, folds, notes."""

from __future__ import annotations

import re

from assay.verification.lint.numbers import plain


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile(f"^(?:{'|'.join(patterns)})$", re.IGNORECASE)


_CI_WORD = r"(?:9[059]\s*%?\s*)?ci[ _-]*"
_CHANGED = (
    r"(?:improvements?|impr\.?|improv\.?|gains?|lift|uplift|increase|changes?|diff\.?|difference|"
    r"delta|δ|∆)"
)
_UNIT = r"(?:\s*[(\[]?\s*(?:%|pp|p\.p\.|rel\.?|relative|abs\.?|absolute|points)\s*[)\]]?)*"
_CHANGE = _any(
    r"(?:(?:relative|rel\.?|abs\.?|absolute|avg\.?|%)\s*)?"
    rf"{_CHANGED}(?:\s*(?:over|vs\.?|to|from|in|of)\s.*)?{_UNIT}",
    "relative",
    r"rel\.",
)
_STD = _any("±", r"\+/-", r"std\.?", "sd", r"s\.d\.", "stdev", r"std\.? ?dev\.?", "standard deviation", "σ")
_CI = _any(rf"{_CI_WORD}(?:\s*\(?9[059]\s*%?\)?)?", "confidence interval", "interval")
_LOW = _any(rf"{_CI_WORD}(?:low|lower|lo|lb|2\.5\s*%?)", r"ci\.lower", "low", "lower", "lower bound")
_HIGH = _any(rf"{_CI_WORD}(?:high|upper|hi|ub|97\.5\s*%?)", r"ci\.upper", "high", "upper", "upper bound")
_FOLD = _any(r"(?:outer[ _-]*)?(?:fold|split)[ _#-]*\d+", r"f\d+")
_MEAN = _any("mean", r"avg\.?", "average", "fold[ _-]mean", "mean of folds")
_NOTE = _any(
    *("definition", "population", "unit", "target", "direction", "better", "met", "notes?", "comment"),
    *("p", "p[ _-]?values?", r"sig\.?", "significance", "source", "formula", "title", "description"),
    *("protocol", "section", "arrow", "threshold", "#"),
)
_NAMES = _any("metrics?", "measures?", "name", "scores?", "statistic", "indicator")
_K = _any("k", "@k", "cut[ _-]?off", "top[ _-]?k")

_ROLES = (
    ("std", _STD),
    ("low", _LOW),
    ("high", _HIGH),
    ("ci", _CI),
    ("fold", _FOLD),
    ("note", _NOTE),
    ("names", _NAMES),
    ("k", _K),
)


def role(text: str) -> str:
    """Return change, std, ci, low, high, fold, mean, note, names, k, or nothing."""
    bare = plain(text).strip()
    if len(bare) > 80:
        return ""
    if _CHANGE.match(bare):
        return "change"
    for name, pattern in _ROLES:
        if pattern.match(bare):
            return name
    return "mean" if _MEAN.match(bare) else ""


_SUFFIX = re.compile(
    r"^(.+?)[ _.\-(]+(std|sd|±|ci[ _]?(?:low(?:er)?|lo|high|hi|upper)|lower|upper|ci|mean)\)?$", re.IGNORECASE
)


def suffixed(text: str) -> tuple[str, str]:
    """Split a name and the meaning of its ending: `ndcg@10_std` is the std of `ndcg@10`."""
    bare = text.strip()
    found = _SUFFIX.match(bare) if len(bare) <= 80 else None
    if found is None:
        return bare, ""
    part = found[2].lower().replace("_", " ")
    if "low" in part or part == "ci lo":
        return found[1], "low"
    if "up" in part or "hi" in part:
        return found[1], "high"
    return found[1], {"ci": "ci", "mean": "mean"}.get(part, "std")
