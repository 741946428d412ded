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
_TPR = r"(?:tpr|sensitivity|recall|sens)[ _]*(?:@|at)[ _]*"
_BUDGETS = (
    ("tpr_at_fpr", re.compile(rf"^{_TPR}fpr[ _]*[@=≤<]*[ _]*([\d.]+)[ ]*(%?)$")),
    ("tpr_at_fpr", re.compile(rf"^{_TPR}([\d.]+)[ ]*(%?)[ _]*fpr$")),
    ("tpr_at_fpr", re.compile(r"^tpr_at_fpr@([\d.]+)()$")),
    ("fpr_reached", re.compile(r"^fpr[ _]*reached[ _]*(?:@|at)[ _]*([\d.]+)[ ]*(%?)$")),
)
DECIMAL = re.compile(r"^\d{1,6}(?:\.\d{0,9})?$|^\.\d{1,9}$")
LONGEST = 80  # characters of a name
_FBETA = re.compile(r"^f[ _-]?(\d{1,3}(?:\.\d{1,3})?)(?:[ _-]?(?:score|measure))?$")
_CUT = (
    re.compile(r"^(.+?)[ _]*@[ _]*(?:k[ _]*=[ _]*)?(\d{1,8}|all)$"),
    re.compile(r"^(.+?)[ _]+at[ _]+(?:k[ _]*=[ _]*)?(\d{1,8})$"),
    re.compile(r"^(.+?)_cut_(\d{1,8})$"),
    re.compile(r"^(p|recall|success|ndcg|map|mrr|precision|hit|hits|r)[_-](\d{1,8})$"),
)


def read_name(text: str) -> Name | None:
    """The measure that a printed name means; None where it is not known."""
    if len(text) > 2 * LONGEST:
        return None
    percent = bool(_PERCENT.search(text))
    bare = _MARKS.sub("", _PERCENT.sub("", text)).strip().lower().replace("\xa0", " ")
    for pattern in (bare, _BRACKETS.sub("", bare).strip()):
        found = _known(" ".join(pattern.split()))
        if found is not None:
            return replace(found, percent=percent)
    return None


def _known(text: str, group: str = "") -> Name | None:
    if len(text) > LONGEST or not text:
        return None
    for reader in (_exact, _budget, _f_beta, _at_cut, _plain, _grouped):
        found = reader(text, group)
        if found is not None:
            return found
    return None


def _exact(text: str, group: str) -> Name | None:
    key, inner = EXACT_NAMES.get(text, ("", ""))
    return Name(key, None, group or inner) if key else None


def _budget(text: str, group: str) -> Name | None:
    """`TPR@FPR5%`, `tpr_at_fpr@0.05`, `fpr_reached@0.05`."""
    for key, pattern in _BUDGETS:
        found = pattern.match(text)
        if found is None or not DECIMAL.match(found[1]):
            continue
        budget = Fraction(found[1])
        if found[2] or budget >= 1:
            budget /= 100
        return Name(key, budget, group) if 0 < budget < 1 else None
    return None


def _f_beta(text: str, group: str) -> Name | None:
    found = _FBETA.match(text)
    if found is None or Fraction(found[1]) == 0:
        return None
    one = Fraction(found[1]) == 1
    return Name("f1", None, group) if one else Name("fbeta", None, group, {"beta": found[1]})


def _at_cut(text: str, group: str) -> Name | None:
    for pattern in _CUT:
        found = pattern.match(text)
        key = family(found[1], ranked=True) if found else None
        if found is not None and key is not None:
            cut = ALL if found[2] == "all" else Fraction(int(found[2]))
            return Name(key, cut, group) if cut > 0 else None
    return None


def _plain(text: str, group: str) -> Name | None:
    key = None if "@" in text else family(text)
    return Name(key, None, group) if key is not None else None


def _grouped(text: str, group: str) -> Name | None:
    """`deployment/fpr`, `macro F1`: a word that says which decision or average it is of."""
    if group:
        return None
    for prefix, meant in GROUPS.items():
        if text.startswith(prefix) and text[len(prefix) :][:1] in (" ", "_", "/", "-"):
            return _known(text[len(prefix) + 1 :].strip(), meant)
    return None


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
