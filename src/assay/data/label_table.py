"""A plain table of labels and probabilities: decisions without rankings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay.array_types import Bools, Floats, Ints
from assay.data import table_checks
from assay.data.alignment.align import RankingRules
from assay.data.cases import Cases, Counts, Grouping
from assay.data.input_types import TableLike, Values, count_of_values, is_frame, wrong_type
from assay.data.readers.file_kinds import read_any_table
from assay.data.readers.memory_tables import frame_of
from assay.data.readers.table_files import Table, require, table_of, texts, without_nested
from assay.data.tune_queries import Tune, by_role, grouping
from assay.errors import Fault, InputError, shown
from assay.files.input_file import InputFile

COLUMNS = {"prob": "probability", "label": "label", "group": "group", "fold": "fold"}
"""Parameters that name a column, and what the column holds."""


@dataclass(frozen=True, slots=True)
class LabelTable:
    """One row per query: its label, its probability, and the group (post) and fold it belongs to.

    Where there is a column `role`, EVAL rows are scored, thresholds are chosen on TUNE rows, and
    TRAIN rows are left alone.
    """

    table: Table
    prob: str
    label: str
    group: str | None = None
    fold: str | None = None
    percent: bool = False  # the probabilities are in percent
    positive: str | None = None  # the value of the label that is positive, if it is a word
    arrays: bool = False  # the columns were given as arrays, and have no names
    by: tuple[str, ...] = ()  # other columns to break results down by

    @property
    def name(self) -> str:
        """What the system is called."""
        return self.table.source

    def cases(self, _: RankingRules) -> Cases:
        """Return the EVAL rows. Labels become gold that no ranking could find; nothing is ranked."""
        part = self.scored_rows()
        prob, label = self._numbers(part)
        rows = len(prob)
        nothing: Ints = np.zeros(0, dtype=np.int64)
        gold = np.flatnonzero(label)
        return Cases(
            given_keys=pl.DataFrame({"query_id": [str(row + 1) for row in range(rows)]}),
            answered=np.ones(rows, dtype=bool),
            n=np.zeros(rows, dtype=np.int64),
            judged=np.bincount(gold, minlength=rows),
            hit_query=nothing,
            hit_rank=nothing,
            hit_grade=np.zeros(0),
            hit_first=nothing,
            hit_last=nothing,
            gold_query=gold,
            gold_grade=np.ones(len(gold)),
            ranked=False,
            prob=prob,
            groupings=self._groupings(part),
            counts=Counts(queries=rows, evidence=len(gold)),
        )

    def scored_rows(self) -> Table:
        """Return the rows that are scored: all, or those of the role EVAL."""
        part = self._part("EVAL")
        if part.frame.is_empty():
            raise InputError.of(part.source, "has no EVAL row", "expected rows to score")
        return part

    def tune(self, *, whole: bool = False) -> Tune | None:
        """Return the TUNE rows, or all rows where the `whole` table is TUNE; None where there are none."""
        part = self.table if whole else self._part("TUNE")
        if part.frame.is_empty():
            return None
        self._check_columns()
        prob, label = self._numbers(part)
        groups = self._groupings(part)
        alone = Grouping(np.arange(len(prob)), tuple(f"row {at + 1}" for at in range(len(prob))))
        return Tune(part.source, prob, label, groups.get("post_id", alone), groups.get("fold"))

    def broken_down(self, by: Iterable[str]) -> LabelTable:
        """Return the table with columns of these names to break results down by."""
        own = {"post_id": self.group, "fold": self.fold}
        others = tuple(name for name in by if name not in own)
        absent = [name for name in others if name not in self.table.frame.columns]
        if absent:
            problem, expected = (
                f"no column is called {shown(absent[0])}",
                f"expected one of the {self.table.columns}",
            )
            raise InputError.of("`by`", problem, expected)
        return replace(self, by=others)

    def _part(self, role: str) -> Table:
        self._check_columns()
        parts, faults = by_role(self.table)
        if faults:
            raise InputError(faults)
        empty = self.table.part(pl.repeat(False, self.table.frame.height, eager=True))
        return parts.get(role, empty)

    def _check_columns(self) -> None:
        has, faults = self.table.frame.columns, []
        for parameter, kind in COLUMNS.items():
            column = getattr(self, parameter)
            if column is not None and column not in has:
                expected = f"name the {kind} column with `{parameter}` ({self.table.columns})"
                faults.append(Fault(self.table.source, "", f"no column {column!r}", expected))
        if faults:
            raise InputError(faults)

    def _numbers(self, part: Table) -> tuple[Floats, Bools]:
        how = "divide it by 100" if self.arrays else f"name it with `prob='{self.prob}%'`"
        probs, faults = table_checks.probabilities(part, self.prob, percent=self.percent, how=how)
        labels, more = self._labels(part)
        named = [column for column in (self.group, self.fold) if column is not None]
        more += table_checks.filled(texts(part, *named), *named)
        if faults or more:
            raise InputError([*faults, *more])
        return probs.to_numpy(), labels.to_numpy() == 1

    def _labels(self, part: Table) -> tuple[pl.Series, list[Fault]]:
        if self.positive is not None:
            found = table_checks.classes(self.table, self.label)
            return table_checks.labels_of_class(part, self.label, self.positive, found)
        labels, faults = table_checks.labels(part, self.label)
        two = table_checks.classes(self.table, self.label) if len(faults) > 1 else []
        if len(two) == 2 and not all(map(table_checks.is_label, two)):
            problem = f"{self.label} is {shown(two[0])} or {shown(two[1])}"
            how = f"say which one is positive, with `label='{self.label}=VALUE'`"
            if self.arrays:
                how = "expected 0 or 1: compare them with the positive one"
            return labels, [Fault(part.source, "", problem, how)]
        return labels, faults

    def _groupings(self, part: Table) -> dict[str, Grouping]:
        named = {**{name: name for name in self.by}, "post_id": self.group, "fold": self.fold}
        return {name: grouping(part.frame[column]) for name, column in named.items() if column is not None}


def read_decisions(
    source: TableLike | str | Path,
    *,
    prob: str = "prob",
    label: str = "label",
    group: str | None = None,
    fold: str | None = None,
) -> LabelTable:
    """Return a plain table of labels and probabilities.

    Parameters
    ----------
    source
        A file (CSV with any usual separator, JSON, JSON lines or Parquet; text may be gzip), a data
        frame, a list of rows, or a dict of columns. In a table with a column `role`, EVAL rows are
        scored and thresholds are chosen on TUNE rows.
    prob, label
        The columns of the probability that the label is 1, and of the label: 0 or 1, true or false,
        yes or no. "risk%" is a column `risk` in percent, "outcome=died" a column `outcome` with two
        values, of which `died` is positive.
    group
        The column of the units that belong together, such as posts or patients.
    fold
        The column of the outer folds.

    Returns
    -------
    LabelTable
        The table, for `evaluate` and `compare`.

    Raises
    ------
    InputError
        With all faults of the file.

    Examples
    --------
    >>> table = assay.read_decisions({"y": [1, 0, 1], "p": [0.9, 0.2, 0.6]}, prob="p", label="y")
    >>> table.name
    'decisions'

    """
    for parameter, column in (("prob", prob), ("label", label), ("group", group), ("fold", fold)):
        if not isinstance(column, str) and (column is not None or parameter in ("prob", "label")):
            raise wrong_type(parameter, column, "the name of a column")
    if isinstance(source, str | Path):
        table = read_any_table(InputFile(source))
    else:
        table = Table(frame_of(source, "decisions"), "decisions")
    has = table.frame.columns
    percent = prob not in has and prob.endswith("%") and prob[:-1] in has
    column, equals, value = label.partition("=")
    positive = value.strip() if equals and label not in has and column in has else None
    prob, label = prob[:-1] if percent else prob, label if positive is None else column
    named = [column for column in (prob, label, group, fold) if column is not None]
    return LabelTable(
        require(without_nested(table, named), ()),
        prob,
        label,
        group,
        fold,
        percent=percent,
        positive=positive,
    )


def label_arrays(
    labels: Values,
    probs: Values,
    groups: Values | None = None,
    folds: Values | None = None,
    name: str = "labels",
) -> LabelTable:
    """Return labels and probabilities in memory, one of each per row, as a table."""
    given = {"labels": labels, "probs": probs, "groups": groups, "folds": folds}
    columns = {name: one_column(name, values) for name, values in given.items() if values is not None}
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        problem = ", ".join(f"{name} has {count_of_values(many)}" for name, many in lengths.items())
        raise InputError.of(name, problem, "expected one of each per row")
    table = table_of(columns, name)
    names = {name: name if name in columns else None for name in ("groups", "folds")}
    return LabelTable(table, "probs", "labels", names["groups"], names["folds"], arrays=True)


def one_column(name: str, values: object) -> Any:
    """Return one value per row, from a list, an array or a Series; anything else is named."""
    accepted = "one value per row: a list, a NumPy array, or a Series of pandas or polars"
    if isinstance(values, str | bytes | Mapping) or is_frame(values) or not isinstance(values, Iterable):
        raise wrong_type(name, values, accepted)
    if isinstance(values, set | frozenset):
        raise wrong_type(name, values, f"{accepted}; a set has no order")
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple) and len(shape) != 1:
        of_class = f"; for the probability of class 1, pass {name}[:, 1]" if shape[1:] == (2,) else ""
        raise wrong_type(name, values, accepted + of_class)
    return values if hasattr(values, "__len__") else list(values)
