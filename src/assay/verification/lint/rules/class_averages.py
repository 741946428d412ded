"""A52x: reports by class. Averages over classes, and sums of classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor

from assay.verification.lint.feasibility.confusion_counts import Span, matrix
from assay.verification.lint.printed_values import ClassReport, Figure
from assay.verification.lint.rule import Breach, LintRule

RATES = ("ppv", "sensitivity", "f1")
ALL_CLASSES = "the report shows every class that the averages are over"
ONE_LABEL = "one label per item"


def _of_sets(report: ClassReport) -> bool:
    """Return whether the values are of one set: fold means have different weights per fold."""
    rows = (*report.classes.values(), *report.averages.values())
    return all(figure.std is None and not figure.folds for row in rows for figure in row.values())


def _complete(report: ClassReport) -> bool:
    """Return whether no class is missing: supports sum to that of the averages."""
    known = bool(report.supports) and report.total is not None
    return known and sum(report.supports.values()) == report.total and _of_sets(report)


def _column(report: ClassReport, key: str) -> list[Figure] | None:
    """Return one value per class; None if one is missing."""
    found = [row[key] for row in report.classes.values() if key in row]
    usable = len(found) == len(report.classes) and all(figure.joined for figure in found)
    return found if usable else None


def _mean_of_classes(report: ClassReport, kind: str, weights: Sequence[int], text: str) -> Iterator[Breach]:
    total = sum(weights)
    for key in RATES:
        printed, column = report.averages.get(kind, {}).get(key), _column(report, key)
        if printed is None or not printed.joined or column is None or not total:
            continue
        low = sum((w * f.lo for w, f in zip(weights, column, strict=True)), Fraction(0)) / total
        high = sum((w * f.hi for w, f in zip(weights, column, strict=True)), Fraction(0)) / total
        if printed.hi < low or printed.lo > high:
            yield Breach((printed, *column), f"{kind} avg {printed}: {text} {_between(low, high)}")


def _between(low: Fraction, high: Fraction) -> str:
    return f"{float(low):.4f}" if low == high else f"{float(low):.4f} to {float(high):.4f}"


def macro_mean(report: ClassReport) -> Iterator[Breach]:
    """Check that macro averages are plain means over the classes."""
    if _complete(report):
        weights = [1] * len(report.classes)
        yield from _mean_of_classes(report, "macro", weights, "the classes have the mean")


def weighted_mean(report: ClassReport) -> Iterator[Breach]:
    """Check that weighted averages are means over the classes, weighted by support."""
    if _complete(report):
        weights = list(report.supports.values())
        yield from _mean_of_classes(report, "weighted", weights, "the supports give")


def recall_is_accuracy(report: ClassReport) -> Iterator[Breach]:
    """Check Σ support·recall / Σ support, the share found, like micro recall and accuracy."""
    if not _of_sets(report):
        return
    found = [
        (f"{kind} avg {row['sensitivity']}", row["sensitivity"])
        for kind, row in report.averages.items()
        if kind in ("weighted", "micro") and "sensitivity" in row and row["sensitivity"].joined
    ]
    if report.accuracy is not None and report.accuracy.joined:
        found.append((str(report.accuracy), report.accuracy))
    figures = tuple(figure for _, figure in found)
    if len(found) > 1 and max(f.lo for f in figures) > min(f.hi for f in figures):
        yield Breach(figures, f"{', '.join(text for text, _ in found)}: must be equal")


def supports_disagree(report: ClassReport) -> Iterator[Breach]:
    """Check that all averages are over the same items, and that classes do not have more."""
    printed = {f"{kind} avg": row["support"] for kind, row in report.averages.items() if "support" in row}
    values = {figure.value.value for figure in printed.values()}
    if len(values) > 1:
        listed = ", ".join(f"{kind} {figure}" for kind, figure in printed.items())
        yield Breach(tuple(printed.values()), f"{listed}: must be equal")
    elif report.total is not None and sum(report.supports.values()) > report.total:
        total = sum(report.supports.values())
        yield Breach(tuple(printed.values()), f"the classes sum to {total}, the averages have {report.total}")


def supports_missing(report: ClassReport) -> Iterator[Breach]:
    """Check for classes with fewer items than the averages: one may have been left out."""
    if report.supports and report.total is not None:
        total = sum(report.supports.values())
        figures = tuple(row["support"] for row in report.classes.values() if "support" in row)
        if total < report.total:
            yield Breach(figures, f"the classes sum to {total}, the averages have {report.total}")


def micro_precision(report: ClassReport) -> Iterator[Breach]:
    """Check that micro precision is a mean over the classes, weighted by their predictions."""
    column = _column(report, "ppv")
    found = report.averages.get("micro", {}).get("ppv")
    if found is not None and found.joined and column and _complete(report):
        low, high = min(f.lo for f in column), max(f.hi for f in column)
        if found.hi < low or found.lo > high:
            yield Breach((found, *column), f"micro avg {found}: classes have {_between(low, high)}")


def predictions_do_not_sum(report: ClassReport) -> Iterator[Breach]:
    """Check that, with one label per item, predictions sum to n and hits to accuracy·n."""
    if report.accuracy is None or not _complete(report) or not report.accuracy.joined:
        return
    n = report.total or 0
    ranges = [_hits_and_predictions(row, report.supports[label], n) for label, row in report.classes.items()]
    known = [each for each in ranges if each is not None]
    if len(known) < len(ranges) or any(recall_is_accuracy(report)):
        return  # A513 or A523 reports it
    figures = tuple(figure for row in report.classes.values() for figure in row.values())
    for at, what, low, high in (
        (0, "true positives", report.accuracy.lo * n, report.accuracy.hi * n),
        (2, "predictions", Fraction(n), Fraction(n)),
    ):
        least, most = sum(each[at] for each in known), sum(each[at + 1] for each in known)
        if most < low or least > high:
            yield Breach(
                (report.accuracy, *figures),
                f"{what} of the classes sum to {least} to {most}; {float(low):.1f} to "
                f"{float(high):.1f} are needed for {report.accuracy} and n = {n}",
            )


def _hits_and_predictions(
    row: Mapping[str, Figure], support: int, n: int
) -> tuple[int, int, int, int] | None:
    """Return the least and greatest whole numbers of true positives and predictions of a class."""
    if not set(RATES) <= set(row) or not all(row[key].joined for key in RATES):
        return None
    p, r, f1 = (row[key] for key in RATES)
    first = max(0, ceil(r.lo * support)) if support else 0
    last = min(support, floor(r.hi * support)) if support else 0
    hits: list[int] = []
    predictions: list[int] = []
    for tp in range(first, last + 1):
        low, high = tp, n - (support - tp)
        if tp:
            if min(p.hi, f1.hi) <= 0:
                continue
            low = max(low, ceil(tp / p.hi), ceil(2 * tp / f1.hi - support))
            high = min(high, floor(tp / p.lo) if p.lo > 0 else high)
            high = min(high, floor(2 * tp / f1.lo - support) if f1.lo > 0 else high)
        if low <= high:
            hits += [tp]
            predictions += [low, high]
    if not hits:
        return None
    return min(hits), max(hits), min(predictions), max(predictions)


def two_classes(report: ClassReport) -> Iterator[Breach]:
    """Check that the second class's recall is the first one's specificity, and so on."""
    if len(report.classes) != 2 or report.accuracy is None or not _complete(report):
        return
    (first, one), (second, other) = report.classes.items()
    spans: dict[str, Span] = {}
    figures: list[Figure] = []
    for row, keys in ((other, RATES), (one, ("npv", "specificity", "f1n"))):
        for key, meant in zip(RATES, keys, strict=True):
            if key in row and row[key].joined:
                spans[meant] = (row[key].lo, row[key].hi)
                figures.append(row[key])
    if report.accuracy.joined:
        spans["accuracy"] = (report.accuracy.lo, report.accuracy.hi)
        figures.append(report.accuracy)
    p, n = report.supports[second], report.supports[first]
    if p + n and matrix(p, n, spans) is False:
        listed = ", ".join(map(str, figures))
        yield Breach(tuple(figures), f"{second} and {first}: {listed} at supports {p} and {n}")


RULES = (
    LintRule(
        "A521",
        "impossible",
        "macro average",
        "macro avg = mean over the classes",
        ALL_CLASSES,
        report=macro_mean,
    ),
    LintRule(
        "A522",
        "impossible",
        "weighted average",
        "weighted avg = mean over the classes, weighted by support",
        ALL_CLASSES,
        report=weighted_mean,
    ),
    LintRule(
        "A523",
        "impossible",
        "weighted recall",
        "weighted avg recall = micro avg recall = accuracy",
        ONE_LABEL + " if accuracy is printed; one set of items",
        report=recall_is_accuracy,
    ),
    LintRule(
        "A524",
        "impossible",
        "support of averages",
        "all averages have the same support, and the classes do not sum to more",
        "all averages are over the same classes",
        report=supports_disagree,
    ),
    LintRule(
        "A525",
        "unusual",
        "support of classes",
        "supports of the classes sum to the support of the averages",
        ALL_CLASSES,
        report=supports_missing,
    ),
    LintRule(
        "A526",
        "impossible",
        "micro average",
        "micro avg precision is between the lowest and the highest of the classes",
        ALL_CLASSES,
        report=micro_precision,
    ),
    LintRule(
        "A527",
        "impossible",
        "sums over classes",
        "true positives of all classes sum to accuracy·n, and predictions to n",
        ALL_CLASSES + "; " + ONE_LABEL,
        report=predictions_do_not_sum,
    ),
    LintRule(
        "A528",
        "impossible",
        "two classes",
        "there are whole TP, FP, TN, FN that print as the rates of both classes and accuracy",
        "the report shows both classes; " + ONE_LABEL + "; 0/0 is printed as 0 or 1",
        report=two_classes,
    ),
)
