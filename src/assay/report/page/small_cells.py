"""Which values would give away a small count of queries, so that they are hidden with it.

A sensitivity of 0.9979 on 1,379 queries with evidence says that three were missed. So where a cell
of the table of decisions by evidence is small, every measure of these decisions is hidden; a share
says instead on which side of a bound it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from math import floor

import numpy as np

from assay.array_types import Bools, Floats, Ints
from assay.data.cases import Grouping
from assay.evaluation.display.suppressed_groups import hidden
from assay.evaluation.query_columns import query_columns
from assay.evaluation.result import Value
from assay.metrics.core.registry import metric
from assay.report.report_bundle import Bundle

SHARES = {
    "sensitivity": ("tp", "fn"),
    "fnr": ("fn", "tp"),
    "specificity": ("tn", "fp"),
    "fpr": ("fp", "tn"),
    "ppv": ("tp", "fp"),
    "npv": ("tn", "fn"),
}
"""Shares as the cell that they count and the other one of their denominator."""
BUDGETS = {"tpr_at_fpr": True, "fpr_reached": False}
"""Shares of queries with (or without) evidence at a threshold that is not the decision's."""
POINTS = {"screening_fn_per_1000": "not_neg"}
"""Measures of decisions whose definition does not name the operating point."""
NUMBER = re.compile(r"\d*\.?\d+")
Cells = dict[str, Ints]


@dataclass(frozen=True, eq=False)
class SmallCells:
    """The queries of a bundle, and the count below which nothing may be told."""

    bundle: Bundle
    below: int

    @property
    def evidence_told(self) -> bool:
        """Return whether the number of queries with evidence, and of those without, may be told."""
        evidence = int(self.bundle.label.sum())
        return not (self._few(evidence) or self._few(len(self.bundle.label) - evidence))

    @cached_property
    def measures(self) -> frozenset[str]:
        """Return the measures whose value is hidden."""
        every = self.bundle.result.measures
        found = [
            value
            for value in every
            if self._few(value.n) or self._of_shares(value) or self.groups(value, self._everything)[0]
        ]
        # A mean that tells of few queries does so under another average, such as micro for macro.
        kinds = {_kind(value) for value in found if not self._points(value)}
        return frozenset(value.name for value in (*found, *(each for each in every if _kind(each) in kinds)))

    @cached_property
    def _everything(self) -> Grouping:
        return Grouping(np.zeros(len(self.bundle.label), dtype=np.int64), ("all",))

    def groups(self, value: Value, groups: Grouping) -> Bools:
        """Return in which groups a measure would give away a small count of queries."""
        found = np.zeros(len(groups.labels), dtype=bool)
        for at in self._points(value):
            cells = self._cells(at, groups)
            if cells is None:
                return ~found
            for counts in cells.values():
                found |= self._small(counts)
        return found | self._all_but_few_are_equal(value, groups)

    def bound(self, value: Value) -> str | None:
        """Return on which side of a bound a hidden share is, such as 'above 0.993'."""
        family = _kind(value).partition("@")[0]
        points = self._points(value)
        if family not in SHARES or len(points) != 1:
            return None
        cells = self._cells(points[0], self._everything)
        if cells is None:
            return None
        counted, other = (int(cells[name][0]) for name in SHARES[family])
        base = self.below * ((counted + other) // self.below)  # rounded down: the bound holds
        if self._few(other) and self.below < base:
            return f"above {floor(1000 * (1 - self.below / base)) / 1000:.3f}"
        if self._few(counted) and self.below < base:
            return f"below {-floor(-1000 * self.below / base) / 1000:.3f}"
        return None

    def decisions(self, at: str) -> Bools | None:
        """Return which queries are decided positive at an operating point; None if it is not known."""
        bundle = self.bundle
        if at in ("not_neg", "pos") and bundle.has("state"):
            return np.asarray(bundle.state >= (1 if at == "not_neg" else 2))
        if at == "returned" and bundle.has("selected_k"):
            return np.asarray(bundle.selected_k >= 1)
        limits = self._limits(at) if bundle.has("prob") else None
        return None if limits is None else np.asarray(bundle.prob >= limits)

    def _limits(self, at: str) -> Floats | float | None:
        """Return the threshold of each query, or of all."""
        if at.startswith("tune"):
            deployed = next((each.rule for each in self.bundle.result.thresholds if each.deployment), None)
            name = f"threshold_{at.partition('_')[2] or deployed}"
            there = self.bundle.has(name)
            return self.bundle.queries[name].to_numpy().astype(np.float64) if there else None
        return float(at) if NUMBER.fullmatch(at) else None

    def _points(self, value: Value) -> list[str]:
        family, _, cut = _kind(value).partition("@")
        params = metric(value.definition).params
        if family == "net_benefit":
            return [cut]
        if family in BUDGETS:
            return [f"tune_fpr_{cut}"] if params.get("threshold") == "tune" else []
        at = params.get("at", POINTS.get(family))
        return [] if at is None else [str(at)]

    def _cells(self, at: str, groups: Grouping) -> Cells | None:
        said = self.decisions(at)
        if said is None:
            return None
        label, size = self.bundle.label, len(groups.labels)
        parts = {"tp": said & label, "fp": said & ~label, "fn": ~said & label, "tn": ~said & ~label}
        return {name: np.bincount(groups.codes[each], minlength=size) for name, each in parts.items()}

    def _of_shares(self, value: Value) -> bool:
        """Return whether a share of queries has a small numerator, or a small rest."""
        exact, base = value.exact, None
        family = _kind(value).partition("@")[0]
        if exact is not None and (self._few(exact.hits) or self._few(exact.trials - exact.hits)):
            return True
        if family in BUDGETS:
            evidence = int(self.bundle.label.sum())
            base = evidence if BUDGETS[family] else len(self.bundle.label) - evidence
        if base is None or value.pooled is None:
            return False
        hits = round(value.pooled * base)
        return self._few(hits) or self._few(base - hits)

    def _all_but_few_are_equal(self, value: Value, groups: Grouping) -> Bools:
        """Return in which groups only a few queries differ from all others, as in hits of the first 10."""
        size = len(groups.labels)
        if not self.bundle.has(value.name):
            return np.zeros(size, dtype=bool)
        (column,) = query_columns(self.bundle.result, [value.name])
        found: Floats = column.cast(float).fill_null(np.nan).to_numpy()
        there = ~np.isnan(found)
        most = self._small(np.bincount(groups.codes[there], minlength=size))
        for usual in (0.0, 1.0):
            most |= self._small(np.bincount(groups.codes[there & (found != usual)], minlength=size))
        return most

    def _small(self, counts: Ints) -> Bools:
        return np.asarray((counts > 0) & (counts < self.below))

    def _few(self, n: float) -> bool:
        return hidden(n, self.below)


def _kind(value: Value) -> str:
    """Return the name and cut-off of a measure without its parameters."""
    return value.definition.partition(":")[0]
