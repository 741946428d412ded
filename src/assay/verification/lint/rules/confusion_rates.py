"""A5xx without counts: rates of one confusion matrix, or means of such rates."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from assay.verification.lint.names.known_measures import AVERAGES
from assay.verification.lint.printed_values import Figure, Sheet
from assay.verification.lint.rule import ONE_SET, Breach, LintRule, at_most, equal

MEANS = "one set, or means over the same folds, classes or posts"
COMPLEMENTS = (
    ("sensitivity", "fnr"),
    ("specificity", "fpr"),
    ("accuracy", "error_rate"),
    ("ppv", "fdr"),
    ("npv", "for"),
)


def complements(sheet: Sheet) -> Iterator[Breach]:
    """Check FNR = 1 − sensitivity and the like; if 0/0 was set to 0, they may sum to less."""
    for group in sheet.groups():
        for key, other in COMPLEMENTS:
            x, y = sheet.get(key, None, group), sheet.get(other, None, group)
            if x is None or y is None:
                continue
            yield from at_most([(1, x), (1, y)], 1, "the two sum to more than 1")
            if not sheet.averaged and x.hi + y.hi < 1 and max(x.lo, y.lo) > 0:
                yield from equal([(1, x), (1, y)], 1, "the two must sum to 1")


def balanced(sheet: Sheet) -> Iterator[Breach]:
    """Check the mean of both rates; it is linear, so it holds for means over folds too."""
    for group in sheet.groups():
        sens, spec = (_rate(sheet, group, "sensitivity", "fnr"), _rate(sheet, group, "specificity", "fpr"))
        if sens is None or spec is None:
            continue
        total = (sens[1] + spec[1], sens[2] + spec[2])
        for key, factor, less in (("balanced_accuracy", 2, 0), ("bm", 1, -1)):
            found = sheet.get(key, None, group)
            if found is None:
                continue
            low, high = factor * found.lo - less, factor * found.hi - less
            if key == "balanced_accuracy" and found.lo <= sens[2] and sens[1] <= found.hi:
                continue  # with several classes it is the mean recall, here sensitivity
            if low > total[1] or high < total[0]:
                wanted = [(end + less) / factor for end in total]
                yield Breach(
                    (found, sens[0], spec[0]),
                    f"{found}: {float(wanted[0]):.4f} to {float(wanted[1]):.4f} with {sens[0]} and {spec[0]}",
                )


def _rate(sheet: Sheet, group: str, key: str, other: str) -> tuple[Figure, Fraction, Fraction] | None:
    """Return a rate, or 1 − its complement."""
    found = sheet.get(key, None, group)
    if found is not None:
        return found, found.lo, found.hi
    found = sheet.get(other, None, group)
    return None if found is None else (found, 1 - found.hi, 1 - found.lo)


def harmonic(p: Fraction, r: Fraction) -> Fraction:
    """Return 2pr/(p+r), and 0 if both are 0."""
    return 2 * p * r / (p + r) if p + r else Fraction(0)


def _three(sheet: Sheet, group: str) -> tuple[Figure, Figure, Figure] | None:
    f1, p, r = (sheet.get(key, None, group) for key in ("f1", "ppv", "sensitivity"))
    if group in AVERAGES:
        f1 = f1 or sheet.get(f"{group}_f1")
    return None if f1 is None or p is None or r is None else (f1, p, r)


def f1_too_high(sheet: Sheet) -> Iterator[Breach]:
    """Check F1 with the harmonic mean: it is concave, so a mean F1 is at most that of means."""
    for group in sheet.groups():
        three = _three(sheet, group)
        if three is None:
            continue
        f1, p, r = three
        top = harmonic(max(p.hi, Fraction(0)), max(r.hi, Fraction(0)))
        if f1.lo > top:
            yield Breach(three, f"{f1}: at most {float(top):.4f} with {p} and {r}")
        least = harmonic(max(p.lo, Fraction(0)), max(r.lo, Fraction(0)))
        if group == "micro" and not sheet.averaged and f1.hi < least:
            yield Breach(three, f"{f1}: at least {float(least):.4f} with {p} and {r}")
            continue
        yield from at_most([(1, p), (1, r), (-1, f1)], 1, "F1 is below precision + recall − 1")


def f1_too_low(sheet: Sheet) -> Iterator[Breach]:
    """Check F1 of one set, the harmonic mean itself; a mean over folds or classes may be lower."""
    for group in sheet.groups():
        three = _three(sheet, group)
        if three is None or sheet.averaged or group in AVERAGES:
            continue
        f1, p, r = three
        low = harmonic(max(p.lo, Fraction(0)), max(r.lo, Fraction(0)))
        if f1.hi < low and p.lo + r.lo - 1 <= f1.hi:
            yield Breach(three, f"{f1}: {float(low):.4f} or more with {p} and {r}, if from one set")


def accuracy_between(sheet: Sheet) -> Iterator[Breach]:
    """Check accuracy, a weighted mean of both rates; folds may weigh differently."""
    for group in sheet.groups():
        accuracy = sheet.get("accuracy", None, group)
        sens, spec = (_rate(sheet, group, "sensitivity", "fnr"), _rate(sheet, group, "specificity", "fpr"))
        if accuracy is None or sens is None or spec is None:
            continue
        low, high = min(sens[1], spec[1]), max(sens[2], spec[2])
        if accuracy.hi < low or accuracy.lo > high:
            yield Breach((accuracy, sens[0], spec[0]), f"{accuracy}: not between {sens[0]} and {spec[0]}")


def area_and_point(sheet: Sheet) -> Iterator[Breach]:
    """Check that the area of a ROC curve through (1 − spec, sens) is in its range."""
    for group in sheet.groups():
        area = sheet.get("auroc", None, group) or sheet.get("auroc")
        sens, spec = (_rate(sheet, group, "sensitivity", "fnr"), _rate(sheet, group, "specificity", "fpr"))
        if area is None or sens is None or spec is None:
            continue
        if min(sens[1], spec[1]) < 0 or max(sens[2], spec[2]) > 1:
            continue
        low, high = sens[1] * spec[1], 1 - (1 - sens[2]) * (1 - spec[2])
        if area.hi < low or area.lo > high:
            numbers = f"{area}: {float(low):.4f} to {float(high):.4f} with {sens[0]} and {spec[0]}"
            yield Breach((area, sens[0], spec[0]), numbers)


RULES = (
    LintRule(
        "A501",
        "impossible",
        "complements",
        "FNR = 1 − sensitivity, FPR = 1 − specificity, error = 1 − accuracy, FDR = 1 − PPV, FOR = 1 − NPV",
        MEANS + "; the same decision",
        complements,
    ),
    LintRule(
        "A502",
        "impossible",
        "balanced accuracy",
        "balanced accuracy = (sensitivity + specificity)/2, informedness = sensitivity + specificity − 1",
        MEANS + "; every fold has both classes; with several classes balanced accuracy is mean recall",
        balanced,
    ),
    LintRule(
        "A503",
        "impossible",
        "F1 beyond its bounds",
        "precision + recall − 1 ≤ F1 ≤ 2·precision·recall/(precision + recall); equal to the "
        "latter for micro averages",
        MEANS,
        f1_too_high,
    ),
    LintRule(
        "A504",
        "unusual",
        "F1 below the harmonic mean",
        "F1 = 2·precision·recall/(precision + recall)",
        ONE_SET + "; a mean over classes may be lower",
        f1_too_low,
    ),
    LintRule(
        "A505",
        "unusual",
        "accuracy not between",
        "accuracy lies between sensitivity and specificity",
        ONE_SET,
        accuracy_between,
    ),
    LintRule(
        "A506",
        "unusual",
        "AUROC and one of its points",
        "sens·spec ≤ AUROC ≤ 1 − (1 − sens)(1 − spec)",
        ONE_SET + " and one score",
        area_and_point,
    ),
)
