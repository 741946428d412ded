"""What a reader must know beside the tables: what was left out, set by convention, or absent."""

from __future__ import annotations

from assay.cli.view import CONVENTION, EXACT, FOLD_CONVENTION, cell, counted
from assay.evaluation.intervals import LABELS
from assay.evaluation.result import NO_SPREAD, Result, bounds, unanswered

SHOWN_ABSENT = 3
COUNTED = {"queries": "queries", "evidence": "queries with evidence", "candidates": "candidates"}


def notes(result: Result) -> list[str]:
    """One sentence a line."""
    return [
        *_counts(result),
        *_thresholds(result),
        *_conventions(result),
        *_ties(result),
        *_collapsed(result),
        *_many_labels(result),
        *_absent(result),
    ]


def _counts(result: Result) -> list[str]:
    counts = result.counts
    lines = []
    if counts.missing:
        if any(value.population != "predicted" for value in result):
            lines.append(unanswered(counts))
        else:
            what = counted(counts.missing, "query was", "queries were")
            lines.append(f"{what} not answered: not in the means (--complete counts them).")
    if counts.left_out:
        what = counted(counts.left_out, "query of the run has", "queries of the run have")
        lines.append(f"{what} no judgements: left out.")
    if counts.excluded:
        what = counted(counts.excluded, "query", "queries")
        lines.append(f"{what} of excluded criteria left out.")
    if counts.aside:
        what = counted(counts.aside, "query", "queries")
        lines.append(f"{what} of posts that are TUNE only: thresholds were chosen on them.")
    if counts.resorted and "query_id" in result.keys:
        what = counted(counts.resorted, "list was", "lists were")
        lines.append(f"{what} not sorted by score: sorted again, equal scores by the tie rule.")
    for name, count in result.unexpected.items():
        found = getattr(counts, name)
        lines.append(f"The contract is for {count:,} {COUNTED[name]}; these data have {found:,}.")
    return lines


def _thresholds(result: Result) -> list[str]:
    lines = []
    if any(value.definition.partition(":")[2].startswith("at=0.5") for value in result):
        chosen = next((each.rule for each in result.thresholds if each.deployment), None)
        what = "0.5: none was chosen on TUNE" if chosen is None else f"{chosen}, chosen on TUNE"
        lines.append(f"The deployment threshold of the gate is {what}.")
    if result.thresholds and any(value.interval for value in result):
        lines.append("Thresholds chosen on TUNE stay fixed in the intervals.")
    return lines


def _ties(result: Result) -> list[str]:
    tied = [value for value in result if value.tie_sensitive]
    if not tied:
        return []
    worst = max(tied, key=lambda value: value.tie_sensitive or 0)
    on = counted(worst.tie_sensitive or 0, "query", "queries")
    touched = counted(len(tied), "measure is", "measures are")
    return [f"Another order of tied candidates changes {worst.name} on {on}; {touched} touched."]


def _collapsed(result: Result) -> list[str]:
    """What the marks beside intervals mean, where there are any."""
    in_groups = (value for rows in result.groups.values() for row in rows.values()
                 for value in row.values())  # fmt: skip
    listed = [(value.interval, bounds(value)) for value in (*result, *in_groups)]
    lines = []
    if any(shown is not None and shown.exact for _, shown in listed):
        lines.append(f"{EXACT} exact bounds by post: no resample differs from the estimate.")
    if any(interval is not None and shown is None for interval, shown in listed):
        why = "every resample gives the same value, so the bootstrap cannot bound it"
        lines.append(f"{NO_SPREAD}: {why}.")
    return lines


def _many_labels(result: Result) -> list[str]:
    if not any(value.interval for value in result):
        return []
    return [
        f"No intervals by {column}: {len(rows):,} labels, more than {LABELS}."
        for column, rows in result.groups.items()
        if len(rows) > LABELS
    ]


def _absent(result: Result) -> list[str]:
    lines = []
    if "auroc" in result.absent and any(value.name == "score_auroc" for value in result):
        lines.append("score_auroc, of the highest candidate score, stands in for auroc.")
    for reason in dict.fromkeys(result.absent.values()):
        names = [name for name, why in result.absent.items() if why == reason]
        if len(names) <= SHOWN_ABSENT:
            verb = "is" if len(names) == 1 else "are"
            lines.append(f"{', '.join(names)} {verb} absent: {reason}.")
        else:
            lines.append(f"{len(names)} measures are absent, {names[0]} among them: {reason}.")
    return lines


def _conventions(result: Result) -> list[str]:
    reasons: dict[str, int] = {}
    for value in result:
        for reason, count in value.by_convention.items():
            reasons[reason] = max(count, reasons.get(reason, 0))
    lines = [
        f"By convention 0 on up to {counted(count, 'query', 'queries')}: {reason}."
        for reason, count in reasons.items()
    ]
    if any(FOLD_CONVENTION in cell(value) for value in result):
        lines.append(f"{FOLD_CONVENTION} the value of at least one fold is a convention.")
    marked = {value.convention for value in result if value.convention}
    for rows in result.groups.values():
        for row in rows.values():
            marked |= {value.convention for value in row.values() if value.convention}
    return lines + [f"{CONVENTION} by convention: {reason}." for reason in sorted(marked)]
