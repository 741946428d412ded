"""Corpus and predictions to `Cases`: joined by (post, criterion, sentence), every query present."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from assay.data import checks
from assay.data.align import Judgements, Rules, assemble, find_hits, group_lists
from assay.data.chunks import encode
from assay.data.corpus import QUERY, Corpus, sentences_of_posts
from assay.data.match import Lookup
from assay.data.model import Cases, Counts, Floats, Grouping, Ints
from assay.data.predictions import Predictions
from assay.data.readers.tables import Table
from assay.errors import Fault, InputError


def paired_cases(corpus: Corpus, predictions: Predictions, rules: Rules) -> Cases:
    """Join, rank and count; a query or a sentence that the corpus lacks is an error."""
    faults = checks.known(predictions.candidates, corpus.queries, "queries", *QUERY)
    if not faults:
        faults += sentences_of_posts(predictions.candidates, corpus.sentences)
    if predictions.decisions is not None:
        faults += checks.known(predictions.decisions, corpus.queries, "queries", *QUERY)
    if faults:
        raise InputError(faults)

    queries = corpus.queries.frame
    excluded = queries["criterion_id"].is_in(rules.exclude_criteria)
    queries = queries.filter(~excluded)
    if queries.is_empty():
        raise InputError.of(corpus.name, "has no query left", "criteria that are not excluded")
    coded = queries.select(QUERY).with_row_index("code")
    gold = _coded(corpus.gold.frame, coded)
    judgements = Judgements.of(_codes(gold), gold["sent_uid"], gold["grade"].to_numpy())
    candidates = _coded(predictions.candidates.frame, coded)
    lists, _ = group_lists(
        _codes(candidates), candidates["sent_uid"], candidates["score"].to_numpy()
    )
    hits = find_hits(lists, Lookup(lists.owner, lists.items), judgements, rules)
    cases = assemble(queries.select(QUERY), judgements, [hits])
    prob, selected_k = _decided(cases, predictions.decisions, coded)
    return replace(
        cases,
        prob=prob,
        selected_k=selected_k,
        groupings=_groupings(corpus, predictions.decisions, queries),
        counts=Counts(
            queries=len(cases),
            evidence=int(cases.has_evidence.sum()),
            missing=int((~cases.answered).sum()),
            resorted=hits.resorted,
            candidates=int(cases.n.sum()),
            excluded=int(excluded.sum()),
        ),
    )


def _coded(frame: pl.DataFrame, coded: pl.DataFrame) -> pl.DataFrame:
    """Rows of known, not excluded queries, in their own order, with the code of the query."""
    return frame.join(coded, on=QUERY, how="inner", maintain_order="left")


def _codes(frame: pl.DataFrame) -> Ints:
    return frame["code"].to_numpy().astype(np.int64)


def _decided(
    cases: Cases, decisions: Table | None, coded: pl.DataFrame
) -> tuple[Floats | None, Ints | None]:
    """Probability and selected K of every query, where the system gave them for all."""
    if decisions is None:
        return None, None
    frame = coded.join(decisions.frame, on=QUERY, how="left", maintain_order="left")
    lacking = frame["prob"].is_null().arg_true()
    if len(lacking):
        post, criterion = coded.row(lacking[0])[1:]
        problem = (
            f"has no decision on {len(lacking)} queries, the first post {post!r} {criterion!r}"
        )
        raise InputError.of(decisions.source, problem, "a decision on every query of the corpus")
    prob = frame["prob"].to_numpy()
    if "selected_k" not in frame.columns:
        return prob, None
    selected = frame["selected_k"].to_numpy().astype(np.int64)
    above = np.flatnonzero(selected > cases.n)
    if len(above):
        raise InputError(_above(decisions, coded, selected, cases.n, above))
    return prob, selected


def _above(table: Table, coded: pl.DataFrame, selected: Ints, n: Ints, rows: Ints) -> list[Fault]:
    place = table.frame.select(QUERY).with_row_index("row")
    at = coded[rows].join(place, on=QUERY, how="left", maintain_order="left")["row"].to_list()
    return [
        table.fault(row, f"selected_k is {selected[code]}", f"at most {n[code]}, the candidates")
        for row, code in zip(at, rows.tolist(), strict=True)
    ]


def _groupings(
    corpus: Corpus, decisions: Table | None, queries: pl.DataFrame
) -> dict[str, Grouping]:
    """Every column that says something of a query, a post or a criterion can group results."""
    frame = queries
    sources: list[tuple[pl.DataFrame, tuple[str, ...]]] = [
        (corpus.criteria.frame, ("criterion_id",))
    ]
    if corpus.folds is not None:
        sources.append((corpus.folds.frame, ("post_id",)))
    if decisions is not None:
        sources.append((decisions.frame, QUERY))
    for other, on in sources:
        fresh = [name for name in other.columns if name not in frame.columns and name != "text"]
        frame = frame.join(other.select(*on, *fresh), on=on, how="left", maintain_order="left")
    numbers = ("prob", "selected_k", "tau_neg", "tau_pos")
    groupings = {}
    for name in frame.columns:
        if name not in numbers:
            codes, labels = encode(frame[name].cast(pl.String).fill_null(""))
            groupings[name] = Grouping(codes, labels)
    groupings["has_evidence"] = _evidence(corpus, queries)
    return groupings


def _evidence(corpus: Corpus, queries: pl.DataFrame) -> Grouping:
    positive = corpus.gold.frame.filter(pl.col("grade") >= 1).select(QUERY).unique()
    marked = positive.with_columns(pl.lit(1).alias("has"))
    has = queries.join(marked, on=QUERY, how="left", maintain_order="left")["has"].fill_null(0)
    return Grouping(has.to_numpy().astype(np.int64), ("0", "1"))
