"""How the queries of a data set may be distributed over its folds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.verification.lint.feasibility.fold_means import Limits, refuted
from assay.verification.lint.printed_values import Fold, FoldSizes

MOST_PARTITIONS = 20_000


def stratified(p: int, n: int, number: int) -> list[Fold]:
    """Return the folds of a stratified splitter: classes spread evenly, the rest in turn."""
    folds = [[p // number, n // number] for _ in range(number)]
    at = 0
    for _ in range(n % number):
        folds[at % number][1] += 1
        at += 1
    for _ in range(p % number):
        folds[at % number][0] += 1
        at += 1
    return [(positives, negatives) for positives, negatives in folds]


def equal_sized(p: int, n: int, number: int, *, least: Fold = (0, 0)) -> Iterator[list[Fold]]:
    """Yield all ways to distribute p positives over folds whose sizes differ by at most one.

    `least` is the minimum of positives and negatives in each fold. At least two folds have
    positives, and at least two have negatives: otherwise a fold was trained on one class.
    """
    size, more = divmod(p + n, number)
    sizes = [size + 1] * more + [size] * (number - more)
    for parts in _parts(p, sizes, least, 0, p):
        folds = [(part, whole - part) for part, whole in zip(parts, sizes, strict=True)]
        if number == 1 or min(sum(fold[at] > 0 for fold in folds) for at in (0, 1)) > 1:
            yield folds


def _parts(p: int, sizes: list[int], least: Fold, at: int, most: int) -> Iterator[list[int]]:
    """Yield numbers of positives, non-increasing within folds of the same size."""
    if at == len(sizes):
        if p == 0:
            yield []
        return
    room = sum(size - least[1] for size in sizes[at + 1 :])
    for part in range(min(p, sizes[at] - least[1], most), max(least[0], p - room) - 1, -1):
        same = at + 1 < len(sizes) and sizes[at + 1] == sizes[at]
        for rest in _parts(p - part, sizes, least, at + 1, part if same else p):
            yield [part, *rest]


def impossible(p: int, n: int, folds: FoldSizes, spans: Mapping[str, Limits]) -> bool:
    """Return whether it is certain that the known folds cannot have these means.

    Folds of `any` sizes are not searched: there are too many possibilities.
    """
    if folds.sizes == "listed":
        return refuted(list(folds.listed) * folds.repeats, spans)
    if folds.sizes == "any" or folds.number > p + n:
        return False
    even = refuted(stratified(p, n, folds.number) * folds.repeats, spans)
    if folds.sizes == "stratified" or not even:
        return even
    return folds.repeats == 1 and _no_split(p, n, folds, spans)


def _no_split(p: int, n: int, folds: FoldSizes, spans: Mapping[str, Limits]) -> bool:
    """Return folds of equal size, with the classes split in any way."""
    both = "balanced_accuracy" in spans  # a rate was printed, so every fold has that class
    least = (int(both or "sensitivity" in spans), int(both or "specificity" in spans))
    tried = 0
    for parts in equal_sized(p, n, folds.number, least=least):
        if tried == MOST_PARTITIONS or not refuted(parts, spans):
            return False
        tried += 1
    return tried > 0
