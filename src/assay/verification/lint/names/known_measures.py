"""Every measure that lint knows: its range, and the names under which it is printed.

assay's own measures come from their entries. Listed here are the measures that publications print
and assay does not compute.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType

from assay.metrics.core.entry import INFINITE, Kind
from assay.metrics.core.family import Family
from assay.metrics.core.registry import FAMILIES as ENTRIES

Bounds = tuple[Fraction | None, Fraction | None]


class ValueKind(StrEnum):
    """The possible values of a measure."""

    SHARE = "share"  # within 0 and 1
    SIGNED = "signed"  # within −1 and 1
    RATIO = "ratio"  # 0 and above
    COUNT = "count"  # whole numbers from 0
    PER_1000 = "per 1000"  # within 0 and 1000
    NUMBER = "number"  # any


BOUNDS: Mapping[ValueKind, Bounds] = MappingProxyType(
    {
        ValueKind.SHARE: (Fraction(0), Fraction(1)),
        ValueKind.SIGNED: (Fraction(-1), Fraction(1)),
        ValueKind.RATIO: (Fraction(0), None),
        ValueKind.COUNT: (Fraction(0), None),
        ValueKind.PER_1000: (Fraction(0), Fraction(1000)),
        ValueKind.NUMBER: (None, None),
    }
)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a measure before any value is seen."""

    kind: ValueKind = ValueKind.SHARE
    ranked: bool = False  # has a cut-off
    lower: bool = False  # lower is better
    context: bool = False  # describes the data: does not make a table one of measures
    grows: bool = False  # a larger cut-off never lowers it
    range: Bounds | None = None  # where it is narrower than its kind's

    @property
    def bounds(self) -> Bounds:
        """Lowest and highest possible value; None where there is no limit."""
        return self.range or BOUNDS[self.kind]


def _known(family: Family) -> Known:
    """Return what the entry of one of assay's measures says."""
    entry, (low, high) = family.sample(), family.range
    total = entry.kind is Kind.TOTAL
    kind = ValueKind.COUNT if total else _kind(low, high)
    bounds = None if kind in (ValueKind.COUNT, ValueKind.NUMBER) else (_limit(low), _limit(high))
    return Known(
        kind,
        ranked=family.cut in ("required", "optional", "point"),
        lower=entry.better == "lower",
        context=total and not entry.needs,
        grows=family.grows_with_k,
        range=bounds,
    )


def _kind(low: float, high: float) -> ValueKind:
    if low >= 0:
        return ValueKind.SHARE if high <= 1 else ValueKind.PER_1000 if high == 1000 else ValueKind.RATIO
    return ValueKind.SIGNED if low >= -1 and high <= 1 else ValueKind.NUMBER


def _limit(end: float) -> Fraction | None:
    return None if abs(end) == INFINITE else Fraction(end)


_SHARE, _LOWER, _SIGNED = Known(), Known(lower=True), Known(ValueKind.SIGNED)
_RATIO, _CONTEXT = Known(ValueKind.RATIO), Known(ValueKind.COUNT, context=True)
_LOWER_RATIO = Known(ValueKind.RATIO, lower=True)

# key: (what is known, names under which it is printed)
_OTHERS: Mapping[str, tuple[Known, str]] = {
    # the data
    "mean_gold": (Known(ValueKind.RATIO, context=True), "mean r|mean gold|gold per query|mean relevant"),
    "n": (_CONTEXT, "n|queries|n queries|n test|support total"),
    "positives": (_CONTEXT, "positives|n positives|n pos|positive queries"),
    "negatives": (_CONTEXT, "negatives|n negatives|n neg"),
    "support": (_CONTEXT, "support|sup"),  # of one class, of an average, or of a whole data set
    "prevalence": (Known(context=True), "prevalence|positive rate|base rate"),
    # computed from the four counts
    "error_rate": (_LOWER, "error rate|error"),
    "fdr": (_LOWER, "fdr|false discovery rate"),
    "for": (_LOWER, "for|false omission rate"),
    "f1n": (_SHARE, "f1n|f1 negative|f1 of negatives"),
    "fbeta": (_SHARE, ""),
    "fm": (_SHARE, "fm|fowlkes mallows|fowlkes mallows index"),
    "gm": (_SHARE, "gm|g mean|gmean|geometric mean"),
    "bm": (_SIGNED, "bm|informedness|bookmaker informedness|youden|youden j|youdens j"),
    "mk": (_SIGNED, "mk|markedness"),
    "ji": (_SHARE, "ji|jaccard|jaccard index|iou|csi|critical success index"),
    "kappa": (_SIGNED, "kappa|cohens kappa|cohen kappa"),
    "lrp": (_RATIO, "lrp|lr+|positive likelihood ratio"),
    "lrn": (_LOWER_RATIO, "lrn|negative likelihood ratio"),
    "dor": (_RATIO, "dor|diagnostic odds ratio"),
    "pt": (_SHARE, "pt|prevalence threshold"),
    "upm": (_SHARE, "upm|p4|unified performance measure"),
    # calibration
    "mce": (_LOWER, "mce|maximum calibration error"),
    "log_loss": (_LOWER_RATIO, "log loss|nll|cross entropy"),
    # selection
    "selected_k_mean_returned": (_RATIO, "avg k pred pos|mean k returned"),
    "returned_rate": (_SHARE, "predicted positive rate|share returned|coverage"),
    # names whose meaning depends on the other names in the table
    "bare_recall": (_SHARE, "recall|rec"),
    "bare_precision": (_SHARE, "precision|prec"),
}

# One key for each value of a parameter: a table may have several of them.
VARIANTS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "selected_k": ("stat", "selected_k_{}", "{0} k|k {0}|{0} selected k"),
        "rate": ("state", "{}_rate", "{0}|share {0}|rate {0}"),
    }
)
_MORE_NAMES = {"selected_k_mean": "avg k|average k|avg k all", "pos_rate": "alert rate"}
_ONLY_AT_A_CUT = frozenset(("precision", "recall", "f", "iprec"))
"""Without a cut-off these names mean something else, or nothing."""


def _own() -> dict[str, tuple[Known, str]]:
    """Return assay's measures, each under its key, with its printed names."""
    found: dict[str, tuple[Known, str]] = {}
    for family in ENTRIES.values():
        known = _known(family)
        if family.name in VARIANTS:
            parameter, key, names = VARIANTS[family.name]
            values = next(each.values for each in family.parameters if each.name == parameter)
            for value in values or ():
                made = key.format(value)
                found[made] = (known, f"{names.format(value)}|{_MORE_NAMES.get(made, '')}")
        else:
            found[family.name] = (known, "|".join((*family.aliases, *family.printed_as)))
    return found


_TABLE = {**_own(), **_OTHERS}
KINDS: Mapping[str, Known] = MappingProxyType({key: known for key, (known, _) in _TABLE.items()})
FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        key: tuple(filter(None, (key.replace("_", " "), *names.split("|"))))
        for key, (_, names) in _TABLE.items()
        if key not in _ONLY_AT_A_CUT
    }
)
AT_A_CUT = tuple(
    name
    for family in ENTRIES.values()
    if family.cut in ("required", "optional")
    for name in (family.name, *family.aliases)
)
"""Names of assay's measures with a cut-off, aliases included."""

# Names that a prefix rule would read otherwise.
EXACT_NAMES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "selected_k_mean_returned": ("selected_k_mean_returned", ""),
        "evidence_recall_micro": ("evidence_recall", "micro"),
        "evidence_precision_micro": ("evidence_precision", "micro"),
        "evidence_recall_unconditional": ("evidence_recall", "micro"),
        "evidence_recall_conditional": ("evidence_recall", "conditional"),
        "evidence_recall_retrieved": ("evidence_recall", "retrieved"),
        "screening_miss_rate": ("fnr", "screening"),
        "screening miss rate": ("fnr", "screening"),
        "alert_precision": ("ppv", "alert"),
        "alert precision": ("ppv", "alert"),
        "alert_rate_per_1000": ("alert_rate_per_1000", ""),
        "alert rate": ("pos_rate", ""),
        "alert_rate": ("pos_rate", ""),
        "lr-": ("lrn", ""),
        "lr−": ("lrn", ""),
    }
)

# Averages over classes, labels or samples, as opposed to the rate of one confusion matrix.
AVERAGES = ("micro", "macro", "weighted", "samples")

# Words before a name for the decision, average or population behind it.
GROUPS = (
    "deployment",
    "gate",
    "screening",
    "alert",
    "tune",
    "micro",
    "macro",
    "weighted",
    "samples",
    "all_queries",
    "pooled",
)
