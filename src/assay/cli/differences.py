"""From a comparison to the tables of `assay compare`."""

from __future__ import annotations

from assay.cli.table import Table
from assay.cli.view import ARROWS, counted, number
from assay.evaluation.comparison import Comparison, Difference

CORRECTIONS = {"holm": "Holm", "bh": "BH"}


def head_line(made: Comparison) -> str:
    """Who is compared on what, and the family that the adjusted p-values run over."""
    contracts = " and ".join(dict.fromkeys(id_ for id_, _ in made.contracts.values()))
    queries = counted(made.queries, "query", "queries")
    tests = counted(len(made.differences), "test", "tests")
    of = f"{counted(len(made.family), 'measure', 'measures')} × "
    of += counted(len(made.pairs), "pair", "pairs")
    return (
        f"{', '.join(made.systems)} under {contracts}: {queries} of "
        f"{counted(made.posts, 'post', 'posts')}, {made.evidence:,} with evidence\n"
        f"Family: {tests} ({of}): {', '.join(made.family)}"
    )


def tables(made: Comparison) -> list[Table]:
    """One table of differences a pair, and one of the further tests where there are any."""
    parts = []
    for baseline, system in made.pairs:
        listed = [each for each in made if (each.baseline, each.system) == (baseline, system)]
        parts.append(_differences(baseline, system, listed, made.correction))
        further = [each for each in listed if each.folds or each.delong]
        if further:
            parts.append(_further(baseline, system, further))
    return parts


def _differences(baseline: str, system: str, listed: list[Difference], correction: str) -> Table:
    adjusted = CORRECTIONS[correction]
    head = (
        "measure", "", "on", baseline, system, "difference", "95 % CI", "relative", "p",
        f"p {adjusted}", "win/tie/loss",
    )  # fmt: skip
    rows = tuple(
        (
            each.name,
            ARROWS.get(each.better, ""),
            f"{each.population} {each.n:,}",
            number(each.baseline_value, each.better),
            number(each.system_value, each.better),
            f"{each.difference:+.4f}",
            f"[{each.interval.low:+.4f}, {each.interval.high:+.4f}]",
            "–" if each.relative_improvement is None else f"{each.relative_improvement:+.2%}",
            chance(each.randomisation.p),
            chance(getattr(each.randomisation, correction)),
            _outcomes(each),
        )
        for each in listed
    )
    return Table(f"{system} minus {baseline}", head, rows, (0, 1, 2))


def _outcomes(each: Difference) -> str:
    found = each.outcomes
    return "–" if found is None else f"{found.wins}/{found.ties}/{found.losses}"


def _further(baseline: str, system: str, listed: list[Difference]) -> Table:
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
    return Table(title, head, tuple(zip(*cells, strict=True)))


def chance(p: float) -> str:
    """Four decimals, and a power of ten where they would be zeros."""
    return f"{p:.4f}" if p >= 0.0001 else f"{p:.1e}"


def notes(made: Comparison) -> list[str]:
    """How the figures came about, and what was left out."""
    first = made.differences[0]
    most = max(each.randomisation.resamples for each in made)
    unit = {"post": "posts", "query": "queries"}[first.interval.unit]
    strata = ", stratified by fold" if made.folds else ""
    lines = [
        f"95 % CI: percentiles of {most:,} draws of {unit}{strata}; p: two-sided, {most:,} swaps "
        f"of {unit}, (1 + b) / (1 + B); seed {made.seed}.",
    ]
    fewer = [each for each in made if each.randomisation.resamples < most]
    for name in dict.fromkeys(each.name for each in fewer):
        resamples = next(each for each in fewer if each.name == name).randomisation.resamples
        lines.append(f"{name} is dear: {resamples:,} draws and swaps.")
    if any(each.aggregate == "fold_mean" for each in made):
        lines.append("Values are means of the fold values.")
    if made.left_out:
        what = counted(made.left_out, "query is", "queries are")
        lines.append(f"{what} not in all systems: left out.")
    lines += [f"Compared despite differences of {word}." for word in made.despite]
    for name in made.systems:
        missing = made.counts[name].missing
        if missing:
            lines.append(f"{name}: {counted(missing, 'query was', 'queries were')} not answered.")
    return lines + [f"{name} is absent: {reason}." for name, reason in made.absent.items()]
