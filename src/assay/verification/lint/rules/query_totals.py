"""A516, A305, A903: totals over queries, interpolated precision, means of printed queries."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from assay.verification.lint.names.known_measures import ValueKind
from assay.verification.lint.names.measure_names import ALL
from assay.verification.lint.numbers import shown
from assay.verification.lint.printed_values import Figure, Sheet
from assay.verification.lint.rule import SAME, Breach, LintRule, allowance, at_most
from assay.verification.lint.rules.cutoff_order import precisions, steps


def totals(sheet: Sheet) -> Iterator[Breach]:
    """Check that relevant retrieved items do not exceed the relevant or the retrieved ones."""
    for group in sheet.groups():
        found = sheet.get("num_rel_ret", None, group)
        if found is None:
            continue
        for key in ("num_rel", "num_ret"):
            whole = sheet.get(key, None, group)
            if whole is not None:
                yield from at_most([(1, found), (-1, whole)], 0, f"more than {key}")
        queries = sheet.get("num_q", None, group)
        number = queries.value.value if queries is not None else sheet.given.n
        if number is None:
            continue
        for cut, precision in precisions(sheet, group).items():
            if precision.name.params.get("denominator") == "k" and cut < ALL:
                hits = number * cut * precision.lo
                if hits > found.hi:
                    yield Breach(
                        (precision, found), f"{precision}: at least {float(hits):.1f} hits, but {found}"
                    )


def interpolated(sheet: Sheet) -> Iterator[Breach]:
    """Check that interpolated precision, a maximum over higher recalls, does not rise."""
    for group in sheet.groups():
        for a, x, b, y in steps(sheet.cuts("iprec", group)):
            text = f"rises from recall {float(a):g} to {float(b):g}"
            yield from at_most([(1, y), (-1, x)], 0, text)


def _range(figure: Figure) -> tuple[Fraction, Fraction]:
    """Return the sum of the printed queries for a count, else their mean."""
    none = Fraction(0)
    if figure.name.kind is ValueKind.COUNT:
        total = sum((each.value for each in figure.queries), none)
        return total, total
    low = sum((each.lo for each in figure.queries), none)
    high = sum((each.hi for each in figure.queries), none)
    return low / len(figure.queries), high / len(figure.queries)


def mean_of_queries(sheet: Sheet) -> Iterator[Breach]:
    """Check that the value over all queries is the mean of the printed ones.

    With trec_eval's -c, queries without results count as 0 and are not printed: the mean can then
    only be lower.
    """
    number = next((figure for figure in sheet.figures if figure.name.key == "num_q"), None)
    for figure in sheet.figures:
        if len(figure.queries) < 2 or figure.name.key == "gm_map":
            continue
        low, high = _range(figure)
        complete = number is not None and number.value.value == len(figure.queries)
        if figure.lo > high or (complete and figure.hi < low):
            yield Breach(
                (figure,),
                f"{figure}: {len(figure.queries)} printed queries give {shown(low)} to {shown(high)}",
                allowance([figure, figure.queries[0]]),
            )


RULES = (
    LintRule(
        "A305",
        "impossible",
        "interpolated precision",
        "interpolated precision does not rise with recall",
        SAME,
        interpolated,
    ),
    LintRule(
        "A516",
        "impossible",
        "relevant and retrieved",
        "num_rel_ret ≤ num_rel, num_rel_ret ≤ num_ret, k·P@k·num_q ≤ num_rel_ret",
        SAME + "; P@k is divided by k",
        totals,
    ),
    LintRule(
        "A903",
        "impossible",
        "mean of queries",
        "the value over all queries is the mean of the printed queries, or their sum for a count",
        "all queries are printed, or those that are not count as 0",
        mean_of_queries,
    ),
)
