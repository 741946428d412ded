"""What `assay gate NEW --against OLD` reports: a table, Markdown for a CI summary, JUnit XML."""

from __future__ import annotations

from assay.display.table_formats import markdown_cell, markdown_table
from assay.evaluation.presentation import ARROWS, counted, queries
from assay.text_table import TextTable
from assay.verification.display.junit import FAILED, PASSED, SKIPPED, junit_xml
from assay.verification.regression.margins import SIGNS
from assay.verification.regression.regression_verdict import GuardedMeasure, RegressionVerdict
from assay.verification.regression.verdicts import UNDECIDED, WORSE

MARKS = {"better": "🟢", "not worse": "🟢", "undecided": "🟡", "worse": "🔴"}


def regression_parts(made: RegressionVerdict) -> list[TextTable | str]:
    """Return the measures and the verdict, with the reason for each."""
    reasons = _reasons(made)
    return [regression_table(made), *(["\n".join(reasons)] if reasons else []), "\n".join(_notes(made))]


def regression_table(made: RegressionVerdict) -> TextTable:
    """Return one row per measure."""
    bounds = f"{_percent(made)} bounds"
    head = ("measure", "", "old", "new", "difference", bounds, "allowed", "verdict")
    title = f"{made.new} against {made.old} under {made.contract}: {_counts(made)}"
    return TextTable(title, head, tuple(map(_row, made)), (0, 1, 7), optional=(2, 3), verdicts=(7,))


def regression_markdown(made: RegressionVerdict) -> str:
    """Return a section for the summary of a CI job."""
    new, old, contract = map(_text, (made.new, made.old, made.contract))
    head = [
        f"### {MARKS[made.verdict]} assay gate: {made.verdict}",
        "",
        f"{new} against {old} under {contract}, {_counts(made)}.",
    ]
    table = regression_table(made)
    rows = tuple((*row, each.reason) for row, each in zip(table.rows, made, strict=True))
    whole = TextTable("", (*table.head, "why"), rows, (*table.left, 8))
    return "\n".join([*head, "", markdown_table(whole), "", *map(_text, _notes(made))]) + "\n"


def no_baseline_markdown(new: str, old: str) -> str:
    """Return the section for a first run."""
    return f"### ⚪ assay gate: no baseline\n\n{_text(no_baseline_sentence(new, old))}\n"


def no_baseline_sentence(new: str, old: str) -> str:
    """Say that nothing was compared, and why."""
    return f"There is no bundle at {old}: this is a first run, and {new} was not compared with anything."


def regression_junit(made: RegressionVerdict, *, undecided: str) -> str:
    """Return one test case per measure: worse fails, and so does undecided unless it passes by option."""
    outcomes = {WORSE: FAILED, UNDECIDED: SKIPPED if undecided == "pass" else FAILED}
    cases = [
        (each.name, outcomes.get(each.verdict, PASSED), f"{each.verdict}: {each.reason}") for each in made
    ]
    return junit_xml(f"{made.new} against {made.old}", "assay.gate.against", cases)


def no_baseline_junit(new: str, old: str) -> str:
    """Return one skipped test case."""
    case = ("baseline", SKIPPED, no_baseline_sentence(new, old))
    return junit_xml(f"{new} against {old}", "assay.gate.against", [case])


def _row(each: GuardedMeasure) -> tuple[str, ...]:
    return (
        each.name,
        ARROWS[each.better],
        f"{each.old:.4f}",
        f"{each.new:.4f}",
        f"{each.difference:+.4f}",
        f"[{_bound(each.low)}, {_bound(each.high)}]",
        f"{SIGNS[each.better]}{each.margin:g}" if each.margin else "0",
        each.verdict,
    )


def _bound(value: float | None) -> str:
    return "–" if value is None else f"{value:+.4f}"


def _reasons(made: RegressionVerdict) -> list[str]:
    if len({each.reason for each in made}) == 1 and len(made) > 1:
        return []  # the verdict says it
    return [f"{each.name}: {each.verdict}; {each.reason}" for each in made]


def _notes(made: RegressionVerdict) -> list[str]:
    strata = ", stratified by fold" if made.folds else ""
    several = f"; better and worse are adjusted for {len(made)} measures (Holm)" if len(made) > 1 else ""
    lines = [
        f"Verdict: {made.verdict} ({made.reason}).",
        f"Paired by post{strata}. Each bound is one-sided at {_percent(made)}{several}. "
        f"{made.resamples:,} resamples, seed {made.seed}.",
    ]
    return lines + [f"{name} was not compared: {reason}." for name, reason in made.absent.items()]


def _percent(made: RegressionVerdict) -> str:
    return f"{100 * (1 - made.alpha):g}%"


def _counts(made: RegressionVerdict) -> str:
    return f"{queries(made.queries)} of {counted(made.posts, 'post')}"


def _text(text: str) -> str:
    """Return a text that Markdown shows as it is: names of bundles and measures come from outside."""
    return markdown_cell(text, None)
