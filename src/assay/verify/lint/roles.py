"""What a column or row that is no measure holds: a change, a spread, an interval, folds, notes."""

from __future__ import annotations

import re

from assay.verify.lint.numbers import plain

_CHANGE = re.compile(
    r"^(?:(?:relative|rel\.?|abs\.?|absolute|avg\.?|%)\s*)?"
    r"(?:improvements?|impr\.?|improv\.?|gains?|lift|change|changes|diff\.?|difference|delta|δ|∆|Δ|uplift|increase)"
    r"(?:\s*(?:over|vs\.?|to|from|in|of)\s.*)?(?:\s*[(\[]?\s*(?:%|pp|p\.p\.|rel\.?|relative|abs\.?|absolute|points)\s*[)\]]?)*$"
    r"|^relative$|^rel\.$|^%\s*change$",
    re.IGNORECASE,
)  # fmt: skip
_STD = re.compile(r"^(?:±|\+/-|std\.?|sd|s\.d\.|stdev|std\.? ?dev\.?|standard deviation|σ)$", re.I)
_CI = re.compile(
    r"^(?:(?:9[059]|99)\s*%?\s*)?(?:ci|confidence interval|interval)(?:\s*\(?9[059]\s*%?\)?)?$",
    re.I,
)
_LOW = re.compile(
    r"^(?:(?:95\s*%?\s*)?ci[ _-]*(?:low|lower|lo|lb|2\.5\s*%?)|low|lower|ci\.lower|lower bound|lo)$",
    re.I,
)
_HIGH = re.compile(
    r"^(?:(?:95\s*%?\s*)?ci[ _-]*(?:high|upper|hi|ub|97\.5\s*%?)|high|upper|ci\.upper|upper bound|hi)$",
    re.I,
)
_FOLD = re.compile(r"^(?:outer[ _-]*)?(?:fold|split)[ _#-]*\d+$|^f\d+$", re.I)
_MEAN = re.compile(r"^(?:mean|avg\.?|average|fold[ _-]mean|mean of folds)$", re.I)
_NOTE = re.compile(
    r"^(?:definition|population|unit|target|direction|better|met|notes?|comment|p|p[ _-]?values?|sig\.?|"
    r"significance|source|formula|title|description|protocol|section|arrow|threshold|#)$",
    re.I,
)
_NAMES = re.compile(r"^(?:metrics?|measures?|name|score|scores|statistic|indicator)$", re.I)
_K = re.compile(r"^(?:k|@k|cut[ _-]?off|top[ _-]?k)$", re.I)

_ROLES = (
    ("std", _STD), ("low", _LOW), ("high", _HIGH), ("ci", _CI), ("fold", _FOLD), ("note", _NOTE),
    ("names", _NAMES), ("k", _K),
)  # fmt: skip


def role(text: str) -> str:
    """change, std, ci, low, high, fold, mean, note, names, k, or nothing."""
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
    r"^(.+?)[ _.\-(]+(std|sd|±|stdev|ci[ _]?low(?:er)?|ci[ _]?lo|ci[ _]?high|ci[ _]?hi|ci[ _]?upper|lower|upper|ci|mean)\)?$",
    re.I,
)


def suffixed(text: str) -> tuple[str, str]:
    """A name and what its ending says of it: `ndcg@10_std` is the std of `ndcg@10`."""
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
