"""Printed names of measures, read as a key, a cut-off, a group and parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from assay.verification.lint.names.known_measures import (
    AT_A_CUT,
    AVERAGES,
    EXACT_NAMES,
    FAMILIES,
    GROUPS,
    KINDS,
    VARIANTS,
    Bounds,
    ValueKind,
)

__all__ = ["Name", "ValueKind", "definition_name", "family", "read_name"]

ALL = Fraction(10**9)  # the cut-off `all`: beyond the end of any list


@dataclass(frozen=True, slots=True)
class Name:
    """A measure such as `ndcg` at cut-off 10, of a population or decision, with its parameters."""

    key: str
    cut: Fraction | None = None
    group: str = ""
    params: Mapping[str, str] = field(default_factory=dict)
    percent: bool = False  # the name itself says that values are in percent

    @property
    def kind(self) -> ValueKind:
        """The kind of its values."""
        return KINDS[self.key].kind

    @property
    def bounds(self) -> Bounds:
        """Lowest and highest possible value; None where there is no limit."""
        return KINDS[self.key].bounds

    @property
    def context(self) -> bool:
        """Whether it only describes the data, such as n."""
        return KINDS[self.key].context

    @property
    def lower_is_better(self) -> bool:
        """Whether lower values are better."""
        return KINDS[self.key].lower


_PERCENT = re.compile(r"[\[(]\s*(?:(?:in\s*)?(?:%|percent)|[×x*]\s*100)\s*[\])]|,\s*%$|\s+%$", re.IGNORECASE)
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
_PLACE = r"(\d{1,8}k?|all)"
_CUT = (
    re.compile(rf"^(.+?)[ _]*@[ _]*(?:k[ _]*=[ _]*)?{_PLACE}$"),
    re.compile(rf"^(.+?)[ _]+at[ _]+(?:k[ _]*=[ _]*)?{_PLACE}$"),
    re.compile(r"^(.+?)_cut_(\d{1,8})$"),
    # short names are left out (R-1 and R-2 are ROUGE), except for trec_eval's P_10
    re.compile(rf"^(hits|{'|'.join(each for each in AT_A_CUT if len(each) > 2)})[_-](\d{{1,8}})$"),
    re.compile(r"^(p)_(\d{1,8})$"),
)
_TOP = re.compile(rf"^top[ _-]*{_PLACE}(?:[ _-]+(.+))?$")
_TOP_OF = frozenset(
    ("", "acc", "acc.", "accuracy", "retrieval accuracy", "recall", "precision", "hit rate", "hits")
)
_CHANGED = re.compile(r"[Δδ∆#]")  # another quantity than the measure itself
_AVERAGED = re.compile(r"\b(macro|micro|weighted|samples)[ _-]+(?:avg\.?|averaged?)(?=[ _/-]|$)")
_LEVEL = re.compile(r"^iprec[ _]at[ _]recall[ _]([01]\.\d{1,4})$")


def unmarked(text: str) -> tuple[str, bool]:
    """Return a name without bold, arrows and percent signs, and whether it said percent."""
    percent = bool(_PERCENT.search(text))
    bare = _MARKS.sub("", _PERCENT.sub(" ", text)).replace("\xa0", " ")
    return " ".join(bare.split()), percent


def read_name(text: str) -> Name | None:
    """Return the measure that a printed name means; None where it is not known.

    `header_labels.read_label` also reads names with a data set, such as `NQ R@20`.
    """
    if len(text) > 2 * LONGEST:
        return None
    bare, percent = unmarked(text)
    if _CHANGED.search(bare):
        return None
    found = _known(_AVERAGED.sub(r"\1", bare.lower().replace("κ", "kappa")))
    return None if found is None else replace(found, percent=percent)


def _known(text: str, group: str = "") -> Name | None:
    if len(text) > LONGEST or not text:
        return None
    for reader in (_exact, _budget, _f_beta, _at_cut, _top, _level, _plain, _grouped):
        found = reader(text, group)
        if found is not None:
            return found
    return None


def _exact(text: str, group: str) -> Name | None:
    key, inner = EXACT_NAMES.get(text, ("", ""))
    return Name(key, None, group or inner) if key else None


def _budget(text: str, group: str) -> Name | None:
    """Read `TPR@FPR5%`, `tpr_at_fpr@0.05`, `fpr_reached@0.05`."""
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
            return _cut_at(key, found[2], group)
    return None


def _cut_at(key: str, place: str, group: str) -> Name | None:
    """Return a measure at `10`, `1k` or `all`."""
    if place == "all":
        return Name(key, ALL, group)
    cut = Fraction(int(place.removesuffix("k"))) * (1000 if place.endswith("k") else 1)
    return Name(key, cut, group) if cut > 0 else None


def _top(text: str, group: str) -> Name | None:
    """Read `Top-20` and `Top-20 accuracy` as hit rates, `top-10 recall` as recall@10."""
    found = _TOP.match(text)
    if found is None or (found[2] or "") not in _TOP_OF:
        return None
    key = family((found[2] or "").removeprefix("retrieval ") or "accuracy", ranked=True)
    return _cut_at(key, found[1], group) if key else None


def _level(text: str, group: str) -> Name | None:
    """Read `iprec_at_recall_0.10`: the cut-off is a recall level."""
    found = _LEVEL.match(text)
    return Name("iprec", Fraction(found[1]), group) if found else None


def _plain(text: str, group: str) -> Name | None:
    key = None if "@" in text else family(text)
    return Name(key, None, group) if key is not None else None


def _grouped(text: str, group: str) -> Name | None:
    """Read `deployment/fpr`, `macro F1`, `f1_macro`: a word names the decision or average."""
    if group:
        return None
    for word in GROUPS:
        if text.startswith(word) and text[len(word) :][:1] in (" ", "_", "/", "-"):
            return _known(text[len(word) + 1 :].strip(), word)
    for word in AVERAGES:
        if text.endswith(word) and text[: -len(word)][-1:] in (" ", "_", "/", "-", ","):
            return _known(text[: -len(word) - 1].strip(" ,"), word)
    return None


def squeezed(text: str) -> str:
    """Return the letters and digits of a name, lower case."""
    return re.sub(r"[^a-z0-9+]", "", text.lower())


_SQUEEZED = {squeezed(alias): key for key, aliases in FAMILIES.items() for alias in aliases}
_AT_CUT = {
    "bare_precision": "precision",
    "bare_recall": "recall",
    "evidence_recall": "recall",
    "ppv": "precision",
    "sensitivity": "recall",
    "f1": "f",
    "auprc": "map",
}
_RANKED = {
    "p": "precision",
    "r": "recall",
    "acc": "hit",
    "accuracy": "hit",
    "ap": "map",
    "h": "hit",
    "s": "hit",
}


# In a table with a column k, names without a cut-off take the one of their row.
KINDS_BY_K = {
    **{key: key for key in AT_A_CUT},
    "bare_recall": "recall",
    "bare_precision": "precision",
    "f1": "f",
    "evidence_recall": "recall",
}


def family(text: str, *, ranked: bool = False) -> str | None:
    """Return the key of a name without cut-off; before a cut-off `P` is precision, `R` recall."""
    bare = squeezed(text)
    found = _SQUEEZED.get(bare)
    if not ranked:
        return found
    found = _RANKED.get(bare, found)
    found = _AT_CUT.get(found or "", found)
    return found if found is not None and KINDS[found].ranked else None


def definition_name(definition: str) -> Name | None:
    """Return the measure of one of assay's definition ids, with every parameter."""
    head, _, spelled = definition.partition(":")
    base, _, cut = head.partition("@")
    params = dict(part.split("=", 1) for part in spelled.split(",") if "=" in part)
    parameter, variant, _ = VARIANTS.get(base, ("", base, ""))
    key = variant.format(params.get(parameter))
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
