"""Names of measures: from what people print to one key, a cut-off, a group and known parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from assay.verify.lint.known import EXACT_NAMES, FAMILIES, GROUPS, KINDS, Kind

__all__ = ["Kind", "Name", "definition_name", "family", "read_name"]

ALL = Fraction(10**9)  # a cut-off behind the end of any list


@dataclass(frozen=True, slots=True)
class Name:
    """A measure: `ndcg` at cut-off 10, of a population or decision, with what is known of it."""

    key: str
    cut: Fraction | None = None
    group: str = ""
    params: Mapping[str, str] = field(default_factory=dict)
    percent: bool = False  # the name itself says that values are in percent

    @property
    def kind(self) -> Kind:
        """The range of its values."""
        return KINDS[self.key].kind

    @property
    def context(self) -> bool:
        """Whether it only describes the data, such as n."""
        return KINDS[self.key].context

    @property
    def lower_is_better(self) -> bool:
        """Whether an improvement is a fall."""
        return KINDS[self.key].lower


_PERCENT = re.compile(r"[\[(]\s*(?:in\s*)?%\s*[\])]|,\s*%$|\s+%$")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_MARKS = re.compile(r"[*`~↑↓→▲▼†‡§¶$\\{}]")
_BUDGET = (
    re.compile(r"^(?:tpr|sensitivity|recall|sens)[ _]*(?:@|at)[ _]*fpr[ _]*[@=≤<]*[ _]*([\d.]+)[ ]*(%?)$"),
    re.compile(r"^(?:tpr|sensitivity|recall|sens)[ _]*(?:@|at)[ _]*([\d.]+)[ ]*(%?)[ _]*fpr$"),
    re.compile(r"^tpr_at_fpr@([\d.]+)()$"),
)  # fmt: skip
_REACHED = re.compile(r"^fpr[ _]*reached[ _]*(?:@|at)[ _]*([\d.]+)[ ]*(%?)$")
_FBETA = re.compile(r"^f[ _-]?(\d+(?:\.\d+)?)(?:[ _-]?(?:score|measure))?$")
_CUT = (
    re.compile(r"^(.+?)[ _]*@[ _]*(?:k[ _]*=[ _]*)?(\d+|all)$"),
    re.compile(r"^(.+?)[ _]+at[ _]+(?:k[ _]*=[ _]*)?(\d+)$"),
    re.compile(r"^(.+?)_cut_(\d+)$"),
    re.compile(r"^(p|recall|success|ndcg|map|mrr|precision|hit|hits|r)[_-](\d+)$"),
)


def read_name(text: str) -> Name | None:
    """The measure that a printed name means; None where it is not known."""
    percent = bool(_PERCENT.search(text))
    bare = _MARKS.sub("", _PERCENT.sub("", text)).strip().lower().replace("\xa0", " ")
    for pattern in (bare, _BRACKETS.sub("", bare).strip()):
        found = _known(" ".join(pattern.split()))
        if found is not None:
            return replace(found, percent=percent)
    return None


def _known(text: str, group: str = "") -> Name | None:
    if len(text) > 80 or not text:
        return None
    if text in EXACT_NAMES:
        key, inner = EXACT_NAMES[text]
        return Name(key, None, group or inner)
    for pattern in _BUDGET:
        if found := pattern.match(text):
            return _budget("tpr_at_fpr", found, group)
    if found := _REACHED.match(text):
        return _budget("fpr_reached", found, group)
    if found := _FBETA.match(text):
        beta = found[1]
        if Fraction(beta) == 1:
            return Name("f1", None, group)
        return Name("fbeta", None, group, {"beta": beta}) if Fraction(beta) > 0 else None
    for pattern in _CUT:
        if (found := pattern.match(text)) and (key := family(found[1], ranked=True)):
            cut = ALL if found[2] == "all" else Fraction(int(found[2]))
            return Name(key, cut, group) if cut > 0 else None
    key = family(text)
    if key is not None:
        return Name(key, None, group)
    for prefix, meant in GROUPS.items():
        if (
            not group
            and text.startswith(prefix)
            and text[len(prefix) :][:1] in (" ", "_", "/", "-")
        ):
            return _known(text[len(prefix) + 1 :].strip(), meant)
    return None


def _budget(key: str, found: re.Match[str], group: str) -> Name | None:
    try:
        budget = Fraction(found[1])
    except (ValueError, ZeroDivisionError):
        return None
    if found[2] or budget >= 1:
        budget /= 100
    return Name(key, budget, group) if 0 < budget < 1 else None


def squeezed(text: str) -> str:
    """Letters and digits of a name, lower case."""
    return re.sub(r"[^a-z0-9+]", "", text.lower())


_SQUEEZED = {squeezed(alias): key for key, aliases in FAMILIES.items() for alias in aliases}
_AT_CUT = {"bare_precision": "precision", "bare_recall": "recall", "evidence_recall": "recall",
           "ppv": "precision", "sensitivity": "recall", "f1": "f", "auprc": "map"}  # fmt: skip
_RANKED = {"p": "precision", "r": "recall", "acc": "hit", "accuracy": "hit", "ap": "map"}


# In a table with a column k, names without a cut-off have the one of their row.
KINDS_BY_K = {
    **{key: key for key in ("ndcg", "map", "mrr", "hit", "err", "f")},
    "bare_recall": "recall", "bare_precision": "precision", "f1": "f",
    "evidence_recall": "recall",
}  # fmt: skip


def family(text: str, *, ranked: bool = False) -> str | None:
    """The key of a name without cut-off; before a cut-off `P` is precision and `R` recall."""
    bare = squeezed(text)
    found = _SQUEEZED.get(bare)
    if not ranked:
        return found
    found = _RANKED.get(bare, found)
    found = _AT_CUT.get(found or "", found)
    return found if found is not None and KINDS[found].ranked else None


def definition_name(definition: str) -> Name | None:
    """The measure of one of assay's definition ids, with every parameter."""
    head, _, spelled = definition.partition(":")
    base, _, cut = head.partition("@")
    params = dict(part.split("=", 1) for part in spelled.split(",") if "=" in part)
    key = {"selected_k": f"selected_k_{params.get('stat', 'mean')}",
           "rate": f"{params.get('state', 'neg')}_rate",
           "evidence_recall": "evidence_recall", "mcc": "mcc"}.get(base, base)  # fmt: skip
    if key not in KINDS:
        return None
    group = ",".join(
        f"{name}={params[name]}"
        for name in ("at", "average", "over", "on", "rel", "threshold")
        if name in params and (name, params[name]) != ("rel", "1")
    )
    place = None
    if cut:
        place = ALL if cut == "all" else Fraction(cut)
    kept = {name: text for name, text in params.items() if name not in ("on", "at")}
    return Name(key, place, group, kept)
