"""`Facts`: the tables that an audit examines, the same for a corpus, predictions and a bundle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import polars as pl

from assay.contracts.contract import Contract

WHOLE = "all"
THRESHOLDS = ("tau_neg", "tau_pos")
RULE_COLUMN = "threshold_"
LACKS = {
    "folds": "there are no folds",
    "texts": "the texts of the posts are not known",
    "sentences": "the sentences of the posts are not known",
    "candidates": "there are no candidates",
    "prob": "there are no probabilities",
    "decisions": "there is no selected K and no state",
    "roles": "only EVAL queries are known",
}
"""What is missing if `Facts` has no such table."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Tables with ids as text; None if the data have no such table.

    `queries` are the EVAL queries: the columns of `keys`, post_id, gold (how many), has_evidence,
    and if known fold, prob, selected_k, state, tau_neg, tau_pos and one column per threshold rule.
    `roles` has TRAIN, TUNE and EVAL posts; a null fold means every fold.
    """

    name: str
    kind: str  # corpus or bundle
    keys: tuple[str, ...]
    queries: pl.DataFrame
    gold: pl.DataFrame  # keys, post_id, item, grade: evidence only
    folds: pl.DataFrame | None = None  # post_id, fold: each pair once
    sentences: pl.DataFrame | None = None  # row, post_id, item, in reading order, text if known
    criteria: pl.DataFrame | None = None
    candidates: pl.DataFrame | None = None  # keys, post_id, item, score, grade, in input order
    tune: pl.DataFrame | None = None  # post_id, prob, label, fold where there are folds
    roles: pl.DataFrame | None = None  # post_id, fold, role: each once
    shared: bool = False  # candidates come from a collection that all posts share
    grouped: bool = True  # False: it is unknown which queries belong to the same post
    contract: Contract | None = None  # of a bundle
    definitions: Mapping[str, str] = field(default_factory=dict)  # measures of a bundle

    @property
    def prob(self) -> pl.DataFrame | None:
        """Return the queries if they have probabilities."""
        return self.queries if "prob" in self.queries.columns else None

    @property
    def decisions(self) -> pl.DataFrame | None:
        """Return the queries if they have a selected K or a state."""
        return self.queries if {"selected_k", "state"} & set(self.queries.columns) else None

    @property
    def texts(self) -> pl.DataFrame | None:
        """Return the texts of the posts: their sentences, or their questions if those are shared.

        A chunk that is a candidate of many questions is no copy; a question that is asked again is.
        """
        table = self.questions if self.shared else self.sentences
        return table if table is not None and "text" in table.columns else None

    @property
    def questions(self) -> pl.DataFrame | None:
        """Return what each post is asked as its items, with the text if it is known."""
        if self.criteria is None:
            return None
        kept = [name for name in ("criterion_id", "text") if name in self.criteria.columns]
        asked = self.queries.select("post_id", "criterion_id").with_row_index("row")
        asked = asked.join(self.criteria.select(kept), on="criterion_id", how="left", maintain_order="left")
        return asked.rename({"criterion_id": "item"})

    @property
    def thresholds(self) -> tuple[str, ...]:
        """Return the columns of the queries that are thresholds."""
        names = self.queries.columns
        return tuple(name for name in names if name in THRESHOLDS or name.startswith(RULE_COLUMN))

    def rule_of(self, column: str) -> str | None:
        """Return the rule that chose a column of thresholds; None if it is unknown."""
        if not column.startswith(RULE_COLUMN):
            return None
        rule = column.removeprefix(RULE_COLUMN)
        if rule != "tune":
            return rule
        return None if self.contract is None else self.contract.deployment

    def parts(self) -> Iterator[tuple[str, pl.DataFrame]]:
        """Yield all queries, then those of each fold if there are several."""
        yield WHOLE, self.queries
        if "fold" in self.queries.columns and self.queries["fold"].n_unique() > 1:
            for (fold,), part in self.queries.group_by("fold", maintain_order=True):
                yield f"fold {fold}", part

    def tune_of(self, part: str) -> pl.DataFrame | None:
        """Return the TUNE queries of a part of the queries; None if there are none."""
        if self.tune is None:
            return None
        rows = self.tune
        if part != WHOLE and "fold" in rows.columns:
            rows = rows.filter(pl.col("fold") == part.removeprefix("fold "))
        return None if rows.is_empty() else rows

    def listed(self) -> pl.DataFrame:
        """Return the queries with `n`, the number of their candidates."""
        assert self.candidates is not None, "a check that asks needs candidates"
        counts = self.candidates.group_by(self.keys).agg(pl.len().alias("n"))
        rest = self.queries.drop("n", strict=False)
        made = rest.join(counts, on=self.keys, how="left", maintain_order="left")
        return made.with_columns(pl.col("n").fill_null(0).cast(pl.Int64))

    def named(self, rows: pl.DataFrame) -> list[str]:
        """Return queries for display: `p01 / sleep`."""
        return [" / ".join(map(str, row)) for row in rows.select(self.keys).iter_rows()]
