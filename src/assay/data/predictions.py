"""`Predictions`: what a system answered. Scored candidates, and decisions where it can abstain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from assay.data import table_checks
from assay.data.cases import STATES
from assay.data.post_roles import COLUMNS as ROLES
from assay.data.post_roles import check_roles
from assay.data.readers.column_names import KNOWN
from assay.data.readers.table_files import Table, read_folder_table, read_table, require, table_of, texts
from assay.data.tune_queries import COLUMNS as TUNE
from assay.data.tune_queries import by_role, check_tune
from assay.errors import Fault, InputError, shown
from assay.files.input_file import InputFile

CANDIDATES = ("post_id", "criterion_id", "sent_uid", "score")
DECISIONS = ("post_id", "criterion_id", "prob")
INSTEAD = ("selected_k", "state")
"""Columns either of which may replace a probability."""


@dataclass(frozen=True, slots=True)
class CandidateLists:
    """Candidates that another engine has read, checked and ranked.

    `hits` returns the judged candidates, and every (query, candidate) pair where a measure needs
    them, of queries with a code (post_id, criterion_id, code); `frames` reads all candidates again.
    """

    hits: Callable[[pl.DataFrame], tuple[Any, Any]]
    frames: Callable[[], Iterator[pl.DataFrame]]
    files: tuple[InputFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Predictions:
    """Tables whose scores are finite numbers and whose probabilities lie in [0, 1].

    `faults` is empty unless they were loaded to be checked against a corpus first.
    """

    name: str
    candidates: Table
    decisions: Table | None = None
    faults: tuple[Fault, ...] = ()
    tune: Table | None = None  # probabilities of the queries that thresholds are chosen on
    roles: Table | None = None  # TRAIN, TUNE or EVAL of every post, of a single split
    lists: CandidateLists | None = None  # ranked by another engine: `candidates` has a row per query

    @classmethod
    def of(
        cls,
        candidates: Any,
        decisions: Any = None,
        tune: Any = None,
        name: str = "predictions",
        roles: Any = None,
    ) -> Predictions:
        """From data frames."""
        return _sound(
            checked_predictions(
                name,
                table_of(candidates, "candidates", CANDIDATES),
                None if decisions is None else decided_table(table_of(decisions, "decisions", DECISIONS[:2])),
                None if tune is None else table_of(tune, "tune", TUNE),
                None if roles is None else table_of(roles, "roles", ROLES),
            )
        )

    def with_tune(self, tune: Any) -> Predictions:
        """With another table of TUNE queries: a file or a data frame."""
        is_path = isinstance(tune, str | Path)
        table = read_table(Path(tune), TUNE) if is_path else table_of(tune, "tune", TUNE)
        if self.tune is not None:
            problem = f"is a second table of TUNE queries, next to {self.tune.source}"
            raise InputError.of(table.source, problem, "expected one of them")
        checked, faults = check_tune(table)
        return replace(self, tune=checked, faults=(*self.faults, *faults))


@dataclass(frozen=True, slots=True)
class EnginePredictions:
    """Predictions whose candidates another engine ranks, once the corpus and the rules are known."""

    name: str
    ranked: Callable[[Any, Any], Predictions]


def read_predictions(folder: str | Path) -> Predictions:
    """Read a system's predictions from a folder of CSV or Parquet tables.

    Parameters
    ----------
    folder
        A folder with the table `candidates`, and optionally `decisions`, `tune` and `roles`
        (docs/data-formats.md).

    Returns
    -------
    Predictions
        The checked tables.

    Raises
    ------
    InputError
        With all faults of the tables.

    Examples
    --------
    >>> predictions = assay.read_predictions(assay.example_path("predictions"))
    >>> predictions.decisions.frame.columns[:3]
    ['post_id', 'criterion_id', 'prob']

    """
    return _sound(load_predictions(folder))


def _sound(predictions: Predictions) -> Predictions:
    if predictions.faults:
        raise InputError(predictions.faults)
    return predictions


def load_predictions(folder: str | Path) -> Predictions:
    """Predictions with their faults, so that those against the corpus can be said with them."""
    path = Path(folder)
    if not path.is_dir():
        problem = "is not a folder" if path.exists() else "folder not found"
        raise InputError.of(str(folder), problem, "expected a folder with a table candidates")
    candidates = read_folder_table(path, "candidates", CANDIDATES)
    if candidates is None:
        raise InputError.of(path.name, "has no table candidates", "expected candidates.csv or .parquet")
    tune, roles = read_folder_table(path, "tune", TUNE), read_folder_table(path, "roles", ROLES)
    return checked_predictions(path.name, candidates, read_decided(path), tune, roles)


def read_decided(folder: Path) -> Table | None:
    """Return the decisions of a folder, or None where it has none."""
    table = read_folder_table(folder, "decisions", DECISIONS[:2])
    return None if table is None else decided_table(table)


def decided_table(table: Table) -> Table:
    """Return decisions that have a probability, or a decision in its place.

    A column of an unknown name could be a misspelt probability: then there must be one.
    """
    has = set(table.frame.columns)
    return table if has & set(INSTEAD) and has <= KNOWN else require(table, DECISIONS)


def checked_predictions(
    name: str, candidates: Table, decisions: Table | None, tune: Table | None, roles: Table | None
) -> Predictions:
    """Return predictions with all faults of their tables."""
    candidates = texts(candidates, *CANDIDATES[:3])
    faults = table_checks.filled(candidates, *CANDIDATES[:3])
    faults += table_checks.unique(candidates, *CANDIDATES[:3])
    scores, score_faults = table_checks.numbers(candidates, "score", _anything, "scores must be finite")
    faults += score_faults
    candidates = candidates.with_columns(scores)
    if decisions is not None:
        parts, named_faults = by_role(decisions)
        faults += named_faults
        if "TUNE" in parts and not parts["TUNE"].frame.is_empty():
            if tune is not None:
                problem = f"has TUNE rows, and there is a table {tune.source}"
                raise InputError.of(decisions.source, problem, "expected one of them")
            tune = require(parts["TUNE"], TUNE)
        decisions, decision_faults = _decisions(parts["EVAL"])
        faults += decision_faults
    if tune is not None:
        tune, tune_faults = check_tune(tune)
        faults += tune_faults
    if roles is not None:
        roles, role_faults = check_roles(roles)
        faults += role_faults
    return Predictions(name, candidates, decisions, tuple(faults), tune, roles)


def _decisions(table: Table) -> tuple[Table, list[Fault]]:
    table = texts(table, *DECISIONS[:2])
    faults = table_checks.filled(table, *DECISIONS[:2]) + table_checks.unique(table, *DECISIONS[:2])
    columns: list[pl.Series] = []
    for name in ("prob", "tau_neg", "tau_pos"):
        if name in table.frame.columns:
            values, found = table_checks.numbers(
                table, name, lambda values: values.is_between(0, 1), f"{name} lies in [0, 1]"
            )
            columns.append(values)
            faults += found
    if "selected_k" in table.frame.columns:
        values, found = table_checks.numbers(
            table, "selected_k", _count, "selected_k is a whole number from 0"
        )
        columns.append(values)
        faults += found
    if "state" in table.frame.columns:
        wrong = ~table.frame["state"].is_in(STATES).fill_null(False)
        expected = f"one of {', '.join(STATES)}"
        states = table.frame["state"]
        faults += [table.fault(row, f"state is {shown(states[row])}", expected) for row in wrong.arg_true()]
    table = table.with_columns(*columns)
    return table, faults + _contradictions(table)


def _contradictions(table: Table) -> list[Fault]:
    """Return the faults of states that contradict probability and thresholds, and of a K on a NEG query."""
    frame = table.frame
    faults: list[Fault] = []
    if {"tau_neg", "tau_pos"} <= set(frame.columns):
        for row in (frame["tau_neg"] > frame["tau_pos"]).fill_null(False).arg_true():
            problem = f"tau_neg {frame['tau_neg'][row]} is above tau_pos {frame['tau_pos'][row]}"
            faults.append(table.fault(row, problem, "expected tau_neg at most tau_pos"))
    if {"prob", "state", "tau_neg", "tau_pos"} <= set(frame.columns):
        sure = pl.all_horizontal(pl.col("prob", "tau_neg", "tau_pos").is_between(0, 1).fill_null(False))
        rule = (
            pl.when(~sure)
            .then(pl.lit(None))
            .when(pl.col("prob") < pl.col("tau_neg"))
            .then(pl.lit("NEG"))
            .when(pl.col("prob") < pl.col("tau_pos"))
            .then(pl.lit("UNCERTAIN"))
            .otherwise(pl.lit("POS"))
            .alias("rule")
        )
        wrong = frame.select(rule, "state", "prob", "tau_neg", "tau_pos").with_row_index("row")
        wrong = wrong.filter(pl.col("rule") != pl.col("state"), pl.col("state").is_in(STATES))
        for row, should, state, prob, low, high in wrong.iter_rows():
            problem = f"state is {state} at prob {prob}, tau_neg {low}, tau_pos {high}"
            faults.append(table.fault(row, problem, f"{should} (p < tau_neg NEG, p >= tau_pos POS)"))
    if {"state", "selected_k"} <= set(frame.columns):
        returns = ((frame["state"] == "NEG") & (frame["selected_k"] > 0)).fill_null(False)
        for row in returns.arg_true():
            problem = f"selected_k is {frame['selected_k'][row]:g} on a NEG query"
            faults.append(table.fault(row, problem, "a NEG query returns nothing"))
    return faults


def _anything(values: pl.Series) -> pl.Series:
    return values.is_not_null()


def _count(values: pl.Series) -> pl.Series:
    return (values >= 0) & (values == values.floor())
