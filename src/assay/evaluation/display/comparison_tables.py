"""The tables and notes of `assay compare`."""

from __future__ import annotations

from assay.evaluation.comparison.comparison_result import Comparison, Difference
from assay.evaluation.display.result_tables import number
from assay.evaluation.presentation import ARROWS, counted, queries
from assay.text_table import TextTable

CORRECTIONS = {"holm": "Holm", "bh": "BH"}
LEVEL = 0.05
"""Significance level of the verdicts, for the adjusted p-value."""


def head_line(made: Comparison) -> str:
    """Say what is compared, and which tests the p-values are adjusted over."""
    contracts = " and ".join(dict.fromkeys(id_ for id_, _ in made.contracts.values()))
    tests = counted(len(made.differences), "test")
    of = f"{counted(len(made.family), 'measure')} × {counted(len(made.pairs), 'pair')}"
    return (
        f"{', '.join(made.systems)} under {contracts}: {queries(made.queries)} of "
        f"{counted(made.posts, 'post')}, {made.evidence:,} with evidence\n"
        f"p-values are adjusted over {tests} ({of}): {', '.join(made.family)}"
    )


def tables(made: Comparison) -> list[TextTable]:
    """Return for each pair its differences with tests, the values behind them, and further tests."""
    parts = []
    for baseline, system in made.pairs:
        listed = [each for each in made.differences if (each.baseline, each.system) == (baseline, system)]
        parts += [differences(baseline, system, listed, made.correction), _values(baseline, system, listed)]
        further = [each for each in listed if each.folds or each.delong]
        if further:
            parts.append(_further(baseline, system, further))
    return parts


def differences(baseline: str, system: str, listed: list[Difference], correction: str) -> TextTable:
    """Return one row per measure of a pair: its difference, interval, p-values and verdict."""
    head = ("measure", "", "difference", "95% CI", "p", f"p {CORRECTIONS[correction]}", "verdict")
    rows = tuple(
        (
            each.name,
            ARROWS.get(each.better, ""),
            f"{each.difference:+.4f}",
            f"[{each.interval.low:+.4f}, {each.interval.high:+.4f}]",
            chance(each.randomisation.p),
            chance(each.adjusted(correction)),
            verdict(each, correction),
        )
        for each in listed
    )
    return TextTable(f"{system} minus {baseline}", head, rows, (0, 1, 6), (4,), (6,))


def verdict(each: Difference, correction: str) -> str:
    """Return what the adjusted p-value supports: better, worse, different, or undecided."""
    if each.adjusted(correction) > LEVEL:
        return "undecided"
    if each.better not in ARROWS:
        return "different"
    return "better" if (each.difference > 0) == (each.better == "higher") else "worse"


def _values(baseline: str, system: str, listed: list[Difference]) -> TextTable:
    head = ("measure", "", "on", baseline, system, "relative", "win/tie/loss")
    rows = tuple(
        (
            each.name,
            ARROWS.get(each.better, ""),
            f"{each.population} {each.n:,}",
            number(each.baseline_value, each.better),
            number(each.system_value, each.better),
            "–" if each.relative_improvement is None else f"{each.relative_improvement:+.2%}",
            _outcomes(each),
        )
        for each in listed
    )
    return TextTable(f"Values of {baseline} and {system}", head, rows, (0, 1, 2))


def _outcomes(each: Difference) -> str:
    found = each.outcomes
    return "–" if found is None else f"{found.wins}/{found.ties}/{found.losses}"


def _further(baseline: str, system: str, listed: list[Difference]) -> TextTable:
    columns = [("measure", [each.name for each in listed])]
    if any(each.folds for each in listed):
        found = [each.folds for each in listed]
        df = next(each.df for each in found if each)
        columns += [
            (f"t over folds (df {df})", [f"{each.t:+.3f}" if each else "–" for each in found]),
            ("p", [chance(each.p) if each else "–" for each in found]),
        ]
    if any(each.delong for each in listed):
        areas = [each.delong for each in listed]
        columns += [
            ("DeLong z", [f"{each.z:+.3f}" if each else "–" for each in areas]),
            ("p", [chance(each.p) if each else "–" for each in areas]),
        ]
    head, cells = zip(*columns, strict=True)
    title = f"Further tests of {system} minus {baseline}, not adjusted"
    return TextTable(title, head, tuple(zip(*cells, strict=True)))


def chance(p: float) -> str:
    """Return four decimals, or a power of ten where they would be zeros."""
    return f"{p:.4f}" if p >= 0.0001 else f"{p:.1e}"


def notes(made: Comparison) -> list[str]:
    """Say how the numbers were computed, and what was left out."""
    first = made.differences[0]
    most = max(each.randomisation.resamples for each in made.differences)
    unit = {"post": "posts", "query": "queries"}[first.interval.unit]
    strata = ", stratified by fold" if made.folds else ""
    lines = [
        f"95% CI: percentile bootstrap, {most:,} resamples of {unit}{strata}. p: two-sided "
        f"randomisation test, {most:,} swaps of {unit}. Seed {made.seed}.",
        f"better or worse: p {CORRECTIONS[made.correction]} is at most {LEVEL:g}; undecided does not mean "
        "equal.",
    ]
    named = {each.name: each.definition for each in made.differences}
    lines += [f"{name} is {text}." for name, text in named.items() if _renamed(name, text)]
    fewer = [each for each in made.differences if each.randomisation.resamples < most]
    for name in dict.fromkeys(each.name for each in fewer):
        resamples = next(each for each in fewer if each.name == name).randomisation.resamples
        lines.append(f"{name} is expensive to resample: {resamples:,} resamples and swaps.")
    if any(each.aggregate == "fold_mean" for each in made.differences):
        lines.append("Values are means over folds.")
    if made.left_out:
        what = counted(made.left_out, "query is", "queries are")
        lines.append(f"{what} not in all systems and left out.")
    lines += [f"Allowed to differ between systems: {word}." for word in made.allow_different]
    for name in made.systems:
        missing = made.counts[name].missing
        if missing:
            lines.append(f"{name}: {counted(missing, 'query was', 'queries were')} not answered.")
    return lines + [f"{name} not available: {reason}." for name, reason in made.absent.items()]


def _renamed(name: str, definition: str) -> bool:
    """Return whether a name does not show which measure it is, as the names of other tools do."""
    return ":" not in name and "/" not in name and definition.partition(":")[0] != name
