"""A51x: whole numbers. Counts that do not add up, and rates that no whole counts produce."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from assay.verification.lint.feasibility.confusion_counts import COUNTS, SCORES, Span, matrix
from assay.verification.lint.feasibility.fold_means import LINEAR
from assay.verification.lint.feasibility.fold_partitions import impossible
from assay.verification.lint.names.known_measures import AVERAGES
from assay.verification.lint.printed_values import Figure, Sheet
from assay.verification.lint.rule import ONE_SET, SAME, Breach, LintRule, equal

FOLD_COMPLEMENTS = {"error_rate": "accuracy", "fnr": "sensitivity", "fpr": "specificity"}


@dataclass(frozen=True, slots=True)
class Sizes:
    """Positives and negatives, if known."""

    p: int | None
    n: int | None

    @property
    def total(self) -> int | None:
        """Return the number of all queries."""
        return None if self.p is None or self.n is None else self.p + self.n


def sizes(sheet: Sheet, group: str) -> Sizes:
    """Return the counts of the column itself, else those given as options."""

    def count(key: str) -> int | None:
        found = sheet.get(key, None, group) or sheet.get(key)
        whole = found is not None and found.value.half == 0 and found.value.value.denominator == 1
        return int(found.value.value) if found is not None and whole else None

    total = count("n") if count("n") is not None else sheet.given.n
    p = count("positives") if count("positives") is not None else sheet.given.positives
    n = count("negatives")
    if n is None and total is not None and p is not None:
        n = total - p
    if p is None and total is not None and n is not None:
        p = total - n
    if p is None and n is None:
        four = [count(key) for key in COUNTS]
        tp, fp, tn, fn = four
        p = tp + fn if tp is not None and fn is not None else None
        n = tn + fp if tn is not None and fp is not None else None
    return Sizes(p, n)


def judged(sheet: Sheet) -> Iterator[str]:
    """Yield groups whose values are those of decisions on all queries."""
    for group in sheet.groups():
        other = "on=" in group and "on=all" not in group
        if group not in AVERAGES and not other and not group.startswith("average="):
            yield group


def do_not_add_up(sheet: Sheet) -> Iterator[Breach]:
    """TP + FN = positives, TN + FP = negatives, all four = n, positives + negatives = n."""
    for group in judged(sheet):
        known = {key: sheet.get(key, None, group) for key in COUNTS}
        for keys, name, total in (
            (("tp", "fn"), "positives", sheet.given.positives),
            (("tn", "fp"), "negatives", None),
            (COUNTS, "n", sheet.given.n),
            (("positives", "negatives"), "n", sheet.given.n),
        ):
            parts = [known[key] if key in known else sheet.get(key, None, group) for key in keys]
            if any(part is None for part in parts):
                continue
            terms = [(1, part) for part in parts if part is not None]
            printed = sheet.get(name, None, group) or sheet.get(name)
            if printed is not None:
                yield from equal([*terms, (-1, printed)], 0, f"must sum to {name}")
            elif total is not None and not sheet.averaged:
                yield from equal(terms, total, f"must sum to {name} = {total}")
        yield from _too_many(sheet, group)


def _too_many(sheet: Sheet, group: str) -> Iterator[Breach]:
    """Check for a part that exceeds its total."""
    if sheet.averaged:
        return
    for part, whole, given in (
        ("positives", "n", sheet.given.n),
        ("tp", "positives", sheet.given.positives),
        ("fn", "positives", sheet.given.positives),
    ):
        small, large = (sheet.get(part, None, group), sheet.get(whole, None, group) or sheet.get(whole))
        most = large.hi if large is not None else given
        if small is not None and most is not None and small.lo > most:
            yield Breach((small,), f"{small}: more than {whole} = {int(most)}")


def shares_of_counts(sheet: Sheet) -> Iterator[Breach]:
    """Check prevalence = positives / n."""
    for group in judged(sheet):
        share, known = sheet.get("prevalence", None, group), sizes(sheet, group)
        if share is None or known.p is None or not known.total or sheet.averaged:
            continue
        exact = Fraction(known.p, known.total)
        if not share.lo <= exact <= share.hi:
            yield Breach((share,), f"{share}: {known.p} of {known.total} are {float(exact):.5f}")


def _spans(sheet: Sheet, group: str) -> tuple[dict[str, Span], dict[str, float], list[Figure]]:
    spans: dict[str, Span] = {}
    betas: dict[str, float] = {}
    figures: list[Figure] = []
    for figure in sheet.figures:
        key = figure.name.key
        if figure.name.group != group or not figure.joined or key == "prevalence":
            continue
        if key == "fbeta":
            key = f"f{figure.name.params['beta']}"
            betas[key] = float(figure.name.params["beta"])
        elif key not in SCORES and key not in COUNTS:
            continue
        if key not in spans:
            spans[key] = (figure.lo, figure.hi)
            figures.append(figure)
    return spans, betas, figures


def no_matrix(sheet: Sheet) -> Iterator[Breach]:
    """Search whole tp and tn; the finding names a single value that contradicts the others."""
    if sheet.averaged:
        return
    for group in judged(sheet):
        known = sizes(sheet, group)
        spans, betas, figures = _spans(sheet, group)
        if known.p is None and known.n is None:
            yield from _grim(sheet, group)
            continue
        p, n = known.p, known.n
        if p is None or n is None:
            keys = ("sensitivity", "fnr", "tp", "fn") if n is None else ("specificity", "fpr", "tn", "fp")
            kept = [figure for figure in figures if figure.name.key in keys]
            spans = {key: span for key, span in spans.items() if key in keys}
            figures, p, n = kept, p or 0, n or 0
        if p < 0 or n < 0 or p + n == 0 or not set(spans) - set(COUNTS):
            continue
        if matrix(p, n, spans, betas) is not False:
            continue
        blamed = [
            figure
            for figure, key in zip(figures, spans, strict=True)
            if _passes_without(key, p, n, spans, betas)
        ]
        listed = ", ".join(map(str, figures))
        hint = f"; without {' or without '.join(f.label for f in blamed)} there is one" if blamed else ""
        yield Breach(tuple(figures), f"{listed} at {p} positives and {n} negatives{hint}")


def _passes_without(key: str, p: int, n: int, spans: dict[str, Span], betas: dict[str, float]) -> bool:
    rest = {name: span for name, span in spans.items() if name != key}
    return bool(rest) and matrix(p, n, rest, betas) not in (False, None)


def _grim(sheet: Sheet, group: str) -> Iterator[Breach]:
    """Check, with n alone, that accuracy is a whole number of right decisions over n."""
    total = sheet.given.n
    found = sheet.get("n", None, group) or sheet.get("n")
    if found is not None and found.value.half == 0:
        total = int(found.value.value)
    for key in ("accuracy", "error_rate", "prevalence"):
        figure = sheet.get(key, None, group)
        if figure is None or not total or total < 0:
            continue
        if -(-figure.lo * total // 1) > figure.hi * total:
            yield Breach((figure,), f"{figure}: no whole number over {total} prints like this")


def no_folds(sheet: Sheet) -> Iterator[Breach]:
    """Check for mean scores over folds that no whole counts in the folds produce."""
    folds = sheet.given.folds
    if folds is None:
        return
    for group in judged(sheet):
        known = sizes(sheet, group)
        if folds.sizes == "listed":
            known = Sizes(sum(p for p, _ in folds.listed), sum(n for _, n in folds.listed))
        if known.p is None or known.n is None:
            continue
        spans: dict[str, tuple[float, float]] = {}
        figures = []
        for figure in sheet.figures:
            key = FOLD_COMPLEMENTS.get(figure.name.key, figure.name.key)
            if figure.name.group != group or not figure.joined or key not in LINEAR:
                continue
            low, high = figure.lo, figure.hi
            if key != figure.name.key:
                low, high = 1 - high, 1 - low
            before = spans.get(key, (0.0, 1.0))
            spans[key] = (max(before[0], float(low)), min(before[1], float(high)))
            figures.append(figure)
        if not spans:
            continue
        empty = any(low > high for low, high in spans.values())
        if empty or impossible(known.p, known.n, folds, spans):
            listed = ", ".join(map(str, figures))
            how = f"{folds.number} {folds.sizes} folds"
            yield Breach(tuple(figures), f"{listed} at {known.p} positives, {known.n} negatives, {how}")


def _evidence_queries(sheet: Sheet, group: str) -> int | None:
    """Return the number of queries with evidence; if unknown, of all queries."""
    known = sizes(sheet, group)
    if known.p is not None:
        return known.p
    for key in ("n", "num_q"):
        found = sheet.get(key, None, group) or sheet.get(key)
        if found is not None and found.value.half == 0:
            return int(found.value.value)
    return sheet.given.n


def too_sharp(sheet: Sheet) -> Iterator[Breach]:
    """Check that Hit@k, P@1 … over n evidence queries are whole numbers over n (k·n for P@k)."""
    if sheet.averaged:
        return
    for figure in sheet.figures:
        name = figure.name
        on_evidence = name.group in ("", "on=evidence", "on=predicted")
        if name.cut is None or not on_evidence or not figure.joined:
            continue
        positives = _evidence_queries(sheet, name.group)
        if not positives or positives < 0:
            continue
        exact = name.params.get("denominator") == "k" if name.key == "precision" else name.key == "hit"
        if name.key == "precision" and name.cut == 1:
            exact = True
        if not exact or name.cut > 10**6:
            continue
        parts = positives * int(name.cut) if name.key == "precision" else positives
        if -(-figure.lo * parts // 1) > figure.hi * parts:
            yield Breach((figure,), f"{figure}: no whole number over {parts} prints like this")


RULES = (
    LintRule(
        "A511",
        "impossible",
        "counts that do not add up",
        "TP + FN = positives, TN + FP = negatives, TP + FP + TN + FN = n",
        ONE_SET,
        do_not_add_up,
    ),
    LintRule("A512", "impossible", "prevalence", "prevalence = positives/n", ONE_SET, shares_of_counts),
    LintRule(
        "A513",
        "impossible",
        "no confusion matrix",
        "there are whole TP, FP, TN, FN that print as all of these rates",
        ONE_SET + " with this n and these positives; 0/0 is printed as 0 or 1",
        no_matrix,
    ),
    LintRule(
        "A514",
        "impossible",
        "no folds",
        "there are whole counts in every fold whose mean rates print as these",
        "plain means over the given folds, each with the classes that its rates need",
        no_folds,
    ),
    LintRule(
        "A515",
        "unusual",
        "no whole number of queries",
        "Hit@k over n evidence queries is a whole number over n",
        SAME + "; these are the positives, or all n queries if no positives are given, pooled",
        too_sharp,
    ),
)
