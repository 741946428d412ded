"""Corpus and predictions to `Cases`: joined by (post, criterion, sentence), every query present."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from assay.array_types import Ints
from assay.data import table_checks
from assay.data.alignment.align import Hits, Lists, RankingRules, assemble, find_hits, group_lists
from assay.data.alignment.list_lookup import ListLookup
from assay.data.cases import STATES, Cases, Grouping, Pairs
from assay.data.corpus import QUERY, Corpus, sentences_of_posts
from assay.data.evidence.group_members import with_groups
from assay.data.ids import encode
from assay.data.post_roles import posts_with, role_faults
from assay.data.predictions import Predictions
from assay.data.readers.table_files import Table
from assay.data.runs import Judgements
from assay.data.tune_queries import aside
from assay.errors import Fault, InputError, shown

DECIDED = ("prob", "selected_k", "state", "tau_neg", "tau_pos")
"""Columns of decisions that measures read."""
NUMBERS = ("prob", "selected_k", "tau_neg", "tau_pos")
"""Columns that are not groups."""


def align_corpus(corpus: Corpus, predictions: Predictions, rules: RankingRules) -> Cases:
    """Join, rank and count; a query or a sentence that the corpus lacks is an error."""
    faults = list(predictions.faults)
    asked = corpus.queries.frame
    if predictions.roles is not None:
        answered = (predictions.candidates, predictions.decisions)
        faults += role_faults(predictions.roles, corpus.queries, predictions.tune, *answered)
        asked = asked.filter(pl.col("post_id").is_in(posts_with(predictions.roles, "EVAL").implode()))
    elif predictions.tune is not None:
        kept = aside(predictions.tune, predictions.candidates, predictions.decisions)
        asked = asked.filter(~pl.col("post_id").is_in(kept.implode()))
    faults += _against(corpus, asked, predictions)
    if faults:
        raise InputError(faults)

    queries = asked
    excluded = queries["criterion_id"].is_in(rules.exclude_criteria)
    queries = queries.filter(~excluded)
    if queries.is_empty():
        raise InputError.of(corpus.name, "has no query left", "criteria that are not excluded")
    coded = queries.select(QUERY).with_row_index("code")
    gold = _coded(corpus.gold.frame, coded)
    judgements = Judgements.of(_codes(gold), gold["sent_uid"], gold["grade"].to_numpy())
    found: Lists | None = None
    if predictions.lists is not None:
        hits, pairs = predictions.lists.hits(coded)
    else:
        candidates = _coded(predictions.candidates.frame, coded)
        lists = group_lists(_codes(candidates), candidates["sent_uid"], candidates["score"].to_numpy())
        hits = find_hits(lists, ListLookup(lists.starts, lists.items), judgements, rules)
        found = lists
        pairs = None if rules.depth is not None else _pairs(lists, hits)
    cases = assemble(queries.select(QUERY), judgements, [hits], rules)
    if corpus.groups is not None and found is not None:
        members = _coded(corpus.groups.frame, coded)
        cases = with_groups(cases, members.select("code", "sent_uid", "grade", "group"), found, hits)
    return replace(
        cases,
        **_decided(predictions.decisions, coded),
        pairs=pairs,
        groupings=_groupings(corpus, predictions.decisions, queries),
        counts=replace(
            cases.counts, excluded=int(excluded.sum()), aside=len(corpus.queries.frame) - len(asked)
        ),
    )


def _coded(frame: pl.DataFrame, coded: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of known queries that are not excluded, in their own order, with the query code."""
    return frame.join(coded, on=QUERY, how="inner", maintain_order="left")


def _codes(frame: pl.DataFrame) -> Ints:
    return frame["code"].to_numpy().astype(np.int64)


def _against(corpus: Corpus, asked: pl.DataFrame, predictions: Predictions) -> list[Fault]:
    """Return the faults of predictions that contradict the corpus; `asked` are the queries to answer."""
    candidates, decisions = predictions.candidates, predictions.decisions
    faults = table_checks.known(candidates, corpus.queries, "queries", *QUERY)
    if predictions.lists is None:  # another engine has checked every candidate already
        foreign = sentences_of_posts(candidates, corpus.sentences)
        frame = candidates.frame
        sure = frame["post_id"].is_in(corpus.sentences.frame["post_id"].implode())
        sure &= frame["sent_uid"].is_not_null()  # other rows have a fault of their own
        faults += [fault for fault in foreign if sure[fault.row - candidates.first_row]]
    if decisions is None:
        return faults
    strangers = table_checks.known(decisions, corpus.queries, "queries", *QUERY)
    faults += strangers
    lacking = asked.select(QUERY).join(decisions.frame, on=QUERY, how="anti", maintain_order="left")
    if len(lacking) and not strangers:
        post, criterion = map(shown, lacking.row(0))
        problem = f"lacks {len(lacking)} queries, the first of post {post}, criterion {criterion}"
        faults.append(Fault(decisions.source, "", problem, "expected a decision on every query"))
    if "selected_k" in decisions.frame.columns:
        count = pl.len() if predictions.lists is None else pl.col("listed").sum()
        faults += _above(decisions, candidates, asked, count)
    return faults


def _above(decisions: Table, candidates: Table, queries: pl.DataFrame, count: pl.Expr) -> list[Fault]:
    """Selected K above the number of candidates, on queries of the corpus."""
    listed = candidates.frame.group_by(QUERY).agg(count.alias("listed"))
    asked = queries.select(QUERY).join(listed, on=QUERY, how="left")
    asked = asked.with_columns(pl.col("listed").fill_null(0))
    frame = decisions.frame.join(asked, on=QUERY, how="left", maintain_order="left")
    n = frame["listed"]
    return [
        decisions.fault(
            row, f"selected_k is {frame['selected_k'][row]:g}", f"expected at most {n[row]}, its candidates"
        )
        for row in (frame["selected_k"] > n).fill_null(False).arg_true()
    ]


def _pairs(lists: Lists, hits: Hits) -> Pairs:
    """Return every candidate with its query, score and grade."""
    grade = np.zeros(len(lists.scores))
    grade[hits.row] = np.maximum(hits.grade, 0.0)
    return Pairs(lists.codes[lists.owner], lists.scores, grade)


def _decided(decisions: Table | None, coded: pl.DataFrame) -> dict[str, Any]:
    """Probability, selected K and state of every query, as far as the system gave them."""
    if decisions is None:
        return {}
    given = [name for name in DECIDED if name in decisions.frame.columns]
    frame = coded.join(decisions.frame.select(*QUERY, *given), on=QUERY, how="left", maintain_order="left")
    decided: dict[str, Any] = {"prob": frame["prob"].to_numpy()} if "prob" in frame.columns else {}
    if "selected_k" in frame.columns:
        decided["selected_k"] = frame["selected_k"].to_numpy().astype(np.int64)
    if "state" in frame.columns:
        decided["state"] = frame["state"].cast(pl.Enum(STATES)).to_physical().to_numpy().astype(np.int64)
    decided["taus"] = {
        name: frame[name].to_numpy() for name in ("tau_neg", "tau_pos") if name in frame.columns
    }
    return decided


def _groupings(corpus: Corpus, decisions: Table | None, queries: pl.DataFrame) -> dict[str, Grouping]:
    """Return the columns of a query, post or criterion that results can be grouped by."""
    frame = queries
    sources: list[tuple[pl.DataFrame, tuple[str, ...]]] = [(corpus.criteria.frame, ("criterion_id",))]
    if corpus.folds is not None:
        sources.append((corpus.folds.frame, ("post_id",)))
    if decisions is not None:
        sources.append((decisions.frame, QUERY))
    for other, on in sources:
        left_out = (*frame.columns, *NUMBERS, "text")
        fresh = [name for name in other.columns if name not in left_out]
        frame = frame.join(other.select(*on, *fresh), on=on, how="left", maintain_order="left")
    groupings = {}
    for name in frame.columns:
        if name not in NUMBERS:
            codes, labels = encode(frame[name].cast(pl.String).fill_null(""))
            groupings[name] = Grouping(codes, labels)
    groupings["has_evidence"] = _evidence(corpus, queries)
    return groupings


def _evidence(corpus: Corpus, queries: pl.DataFrame) -> Grouping:
    positive = corpus.gold.frame.filter(pl.col("grade") >= 1).select(QUERY).unique()
    marked = positive.with_columns(pl.lit(1).alias("has"))
    has = queries.join(marked, on=QUERY, how="left", maintain_order="left")["has"].fill_null(0)
    return Grouping(has.to_numpy().astype(np.int64), ("0", "1"))
