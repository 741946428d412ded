"""A bundle's tables back as cases: joined and ranked again without trusting any recorded result."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay.array_types import Ints
from assay.data.alignment.align import (
    Hits,
    Lists,
    RankingRules,
    assemble,
    find_hits,
    find_repeated_hits,
    group_lists,
    has_repeats,
)
from assay.data.alignment.list_lookup import ListLookup
from assay.data.cases import FACTS, STATES, Cases, Grouping, Pairs
from assay.data.evidence.evidence_groups import one_per_item
from assay.data.evidence.group_members import with_groups
from assay.data.runs import Judgements
from assay.data.tune_queries import Tune, grouping
from assay.errors import InputError
from assay.evaluation.bundle.bundle_checks import (
    CODE,
    checked_gold,
    checked_queries,
    checked_rows,
    checked_tune,
)
from assay.evaluation.result import Result
from assay.metrics.core.registry import THRESHOLD

NUMBERS = ("answered", "n", "gold", "prob", "selected_k")


def cases_of(result: Result, folder: Path) -> Cases:
    """Return the cases that the tables of a bundle hold, under the rules of its contract."""
    keys = list(result.query_keys)
    queries = checked_queries(result, folder)
    coded = queries.select(keys).with_row_index(CODE)
    rules = replace(result.contract.ranking, keep_confidence=True)  # some measure may need it
    gold, judgements, lists, hits = _joined(folder, coded, rules, repeats=result.predicted_lists)
    cases = assemble(queries.select(keys), judgements, [hits], rules)
    if "group" in gold.columns:
        cases = with_groups(cases, gold.select(CODE, "item", "grade", "group"), lists, hits)
    plain = keys == ["query_id"]
    ranked = bool(len(lists.scores)) or not plain
    if not ranked:
        every = np.ones(len(cases), dtype=bool)
        counts = replace(cases.counts, missing=0, missing_evidence=0)
        cases = replace(cases, answered=every, counts=counts)
    return replace(
        cases,
        repeats=result.predicted_lists and has_repeats(lists),
        ranked=ranked,
        pairs=None if plain or rules.depth is not None else _pairs(lists, hits),
        groupings=_groupings(queries, cases),
        counts=replace(
            cases.counts,
            left_out=result.counts.left_out,
            excluded=result.counts.excluded,
            aside=result.counts.aside,
        ),
        **_decided(queries),
    )


def tune_of(folder: Path) -> Tune | None:
    """Return the TUNE queries of a bundle; None where no threshold was chosen."""
    path = folder / "tune.csv"
    if not path.is_file():
        return None
    frame = checked_tune(folder)
    folds = grouping(frame["fold"]) if "fold" in frame.columns else None
    label = frame["label"].to_numpy() == 1
    return Tune(path.name, _floats(frame, "prob"), label, grouping(frame["post_id"]), folds)


def _joined(
    folder: Path, coded: pl.DataFrame, rules: RankingRules, *, repeats: bool
) -> tuple[pl.DataFrame, Judgements, Lists, Hits]:
    gold = checked_gold(folder, coded)
    judged = one_per_item(gold)
    judgements = Judgements.of(_codes(judged), judged["item"], _floats(judged, "grade"))
    listed = checked_rows(folder / "candidates.csv.gz", coded, ["item", "score"])
    lists = group_lists(_codes(listed), listed["item"], _floats(listed, "score"))
    if repeats:
        return gold, judgements, lists, find_repeated_hits(lists, judgements, rules)
    lookup = ListLookup(lists.starts, lists.items)
    hits = find_hits(lists, lookup, judgements, rules)
    if len(lookup.repeated()):  # known after the search
        raise InputError.of("candidates.csv.gz", "has a candidate twice", "expected each once")
    return gold, judgements, lists, hits


def _codes(frame: pl.DataFrame) -> Ints:
    return frame[CODE].to_numpy().astype(np.int64)


def _floats(frame: pl.DataFrame, name: str) -> Any:
    values = frame[name].cast(pl.Float64, strict=False)
    if values.null_count() > frame[name].null_count():
        problem = f"{name} has a value that is not a number"
        raise InputError.of("per_query.csv", problem, "expected numbers")
    return values.to_numpy()


def _pairs(lists: Lists, hits: Hits) -> Pairs:
    grade = np.zeros(len(lists.scores))
    grade[hits.row] = np.maximum(hits.grade, 0.0)
    return Pairs(lists.codes[lists.owner], lists.scores, grade)


def _decided(queries: pl.DataFrame) -> dict[str, Any]:
    decided: dict[str, Any] = {}
    if "prob" in queries.columns:
        decided["prob"] = _floats(queries, "prob")
    if "selected_k" in queries.columns:
        decided["selected_k"] = queries["selected_k"].to_numpy().astype(np.int64)
    if "state" in queries.columns:
        decided["state"] = np.array([STATES.index(state) for state in queries["state"]])
    decided["facts"] = {name: _floats(queries, name) for name in FACTS if name in queries.columns}
    decided["taus"] = {
        name: _floats(queries, name) for name in ("tau_neg", "tau_pos") if name in queries.columns
    }
    decided["thresholds"] = {
        name.removeprefix(THRESHOLD): _floats(queries, name)
        for name in queries.columns
        if name.startswith(THRESHOLD)
    }
    return decided


def _groupings(queries: pl.DataFrame, cases: Cases) -> dict[str, Grouping]:
    """Return the text columns of the queries, by which results can be broken down."""
    found = {
        name: grouping(queries[name])
        for name in queries.columns
        if queries[name].dtype == pl.String and name not in NUMBERS
    }
    found.pop("query_id", None)
    found["has_evidence"] = Grouping(cases.has_evidence.astype(np.int64), ("0", "1"))
    return found
