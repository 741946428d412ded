"""Notes under the tables: what was excluded, set by convention, or is not available."""

from __future__ import annotations

from assay.display.displayed import short
from assay.evaluation.display.result_tables import CONVENTION, EXACT, FOLD_CONVENTION, cell
from assay.evaluation.intervals.bootstrap import LABELS
from assay.evaluation.presentation import counted, queries, unanswered
from assay.evaluation.result import NO_SPREAD, GroupValue, Result, Value, bounds
from assay.evaluation.value_names import name_notes
from assay.metrics.core.entry import Kind
from assay.metrics.core.registry import is_user_defined, metric

SHOWN_ABSENT = 3
COUNTED = {"queries": "queries", "evidence": "queries with evidence", "candidates": "candidates"}


def notes(result: Result) -> list[str]:
    """Return one sentence per line."""
    return [
        *notes_on_names(result),
        *_counts(result),
        *_nothing_found(result),
        *_thresholds(result),
        *_tuned_on_scored(result),
        *_conventions(result),
        *_ties(result),
        *_collapsed(result),
        *_many_labels(result),
        *_absent(result),
    ]


def notes_on_names(result: Result) -> list[str]:
    """Return what each name that is not the contract's own stands for."""
    return name_notes([*(value.name for value in result.measures), *result.absent], result.contract)


def _counts(result: Result) -> list[str]:
    counts = result.counts
    lines = []
    if counts.missing:
        if any(value.population != "predicted" for value in result.measures):
            lines.append(unanswered(counts))
        else:
            what = counted(counts.missing, "query was", "queries were")
            lines.append(f"{what} not answered and not averaged; `complete=True` counts each as 0.")
    if counts.left_out:
        what = counted(counts.left_out, "query of the run was", "queries of the run were")
        lines.append(f"{what} excluded: no judgements.")
    if counts.excluded:
        what = counted(counts.excluded, "query was", "queries were")
        lines.append(f"{what} excluded with their criteria, as the contract says.")
    if counts.aside:
        what = counted(counts.aside, "query was", "queries were")
        lines.append(f"{what} not scored: their posts are TRAIN or TUNE. Results are for EVAL (test) posts.")
    if any(value.folds is not None and len(value.folds.values) == 1 for value in result.measures):
        lines.append("There is one fold, so there is no standard deviation over folds.")
    if counts.resorted and "query_id" in result.query_keys:
        what = counted(counts.resorted, "list was", "lists were")
        lines.append(f"{what} not sorted by score and sorted again; ties follow the contract.")
    split = result.tune_split
    if split is not None:
        lines.append(
            f"Split by group, {split.share:g} for TUNE: thresholds were chosen on "
            f"{counted(split.tune_rows, 'row')} of {counted(split.tune_groups, 'group')}; "
            f"{counted(split.eval_rows, 'row')} of {counted(split.eval_groups, 'other group')} were scored."
        )
    for name, count in result.unexpected.items():
        found = getattr(counts, name)
        lines.append(f"The contract expects {count:,} {COUNTED[name]}; these data have {found:,}.")
    return lines


def _nothing_found(result: Result) -> list[str]:
    """Point at the ids where everything was missed: a miss and a wrong id look alike."""
    kinds = (Kind.RANKING, Kind.CUT_RANKING)
    defined = (value for value in result.measures if not is_user_defined(value.definition))
    ranked = [value for value in defined if metric(value.definition).kind in kinds]
    if not ranked or not result.counts.candidates or any(value.value or not value.n for value in ranked):
        return []
    return [
        "Every ranking measure is 0. Check that candidates and gold have the same ids: 7, 07 and 7.0 differ."
    ]


def _thresholds(result: Result) -> list[str]:
    lines = []
    if any(value.definition.partition(":")[2].startswith("at=0.5") for value in result.measures):
        chosen = next((each.rule for each in result.thresholds if each.deployment), None)
        what = "0.5, because none was chosen on TUNE"
        what = what if chosen is None else f"{chosen}, chosen on TUNE"
        lines.append(f"The deployment threshold of the no-evidence gate is {what}.")
    if result.thresholds and any(value.interval for value in result.measures):
        lines.append("Intervals treat thresholds chosen on TUNE as fixed.")
    return lines


def _ties(result: Result) -> list[str]:
    averaged = [(value, value.tie_range) for value in result.measures if value.tie_range is not None]
    if averaged:
        value, ends = max(averaged, key=lambda pair: pair[1].high - pair[1].low)
        if ends.high > ends.low:
            return [
                "Values are means over all orders of tied candidates; the order could change "
                f"{value.name} most, from {short(ends.low)} to {short(ends.high)}."
            ]
        return []
    tied = [value for value in result.measures if value.tie_sensitive]
    if not tied:
        return []
    worst = max(tied, key=lambda value: value.tie_sensitive or 0)
    on, affected = (queries(worst.tie_sensitive or 0), counted(len(tied), "measure is", "measures are"))
    return [f"Tie order affects {worst.name} on {on}; {affected} affected."]


def _collapsed(result: Result) -> list[str]:
    """Explain the marks next to intervals, where there are any."""
    groups = [row for rows in result.groups.values() for row in rows.values()]
    in_groups = (value for row in groups for value in row.values())
    every: list[Value | GroupValue] = [*result.measures, *in_groups]
    listed = [(value.interval, bounds(value)) for value in every]
    lines = []
    if any(shown is not None and shown.exact for _, shown in listed):
        lines.append(f"{EXACT} exact bounds by post, because all resamples give the same value.")
    if any(interval is not None and shown is None for interval, shown in listed):
        lines.append(f"{NO_SPREAD}: all resamples give the same value, so there is no interval.")
    return lines


def _many_labels(result: Result) -> list[str]:
    if not any(value.interval for value in result.measures):
        return []
    return [
        f"No intervals by {column}: it has {len(rows):,} values, more than {LABELS}."
        for column, rows in result.groups.items()
        if len(rows) > LABELS
    ]


def _absent(result: Result) -> list[str]:
    lines = []
    if "auroc" in result.absent and any(value.name == "score_auroc" for value in result.measures):
        lines.append("score_auroc, from the highest candidate score, is given in place of auroc.")
    for reason in dict.fromkeys(result.absent.values()):
        names = [name for name, why in result.absent.items() if why == reason]
        if len(names) <= SHOWN_ABSENT:
            lines.append(f"{', '.join(names)} not available: {reason}.")
        else:
            lines.append(f"{names[0]} and {len(names) - 1} more not available: {reason}.")
    return lines


def _tuned_on_scored(result: Result) -> list[str]:
    names = [value.name for value in result.measures if value.definition.startswith("best_answers")]
    if not names:
        return []
    return [
        f"{', '.join(names)}: tuned on the scored data. Queries of equal no-answer probability are taken one "
        "by one in the order of their file, so that a value may be one that no threshold gives."
    ]


def _conventions(result: Result) -> list[str]:
    reasons: dict[str, int] = {}
    for value in result.measures:
        for reason, count in value.by_convention.items():
            reasons[reason] = max(count, reasons.get(reason, 0))
    lines = [f"0 by convention on up to {queries(count)}: {reason}." for reason, count in reasons.items()]
    if any(FOLD_CONVENTION in cell(value) for value in result.measures):
        lines.append(f"{FOLD_CONVENTION} at least one fold's value is a convention.")
    marked = {value.convention for value in result.measures if value.convention}
    for rows in result.groups.values():
        for row in rows.values():
            marked |= {value.convention for value in row.values() if value.convention}
    return lines + [f"{CONVENTION} by convention: {reason}." for reason in sorted(marked)]
