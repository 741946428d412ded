"""The whole way from tables to values against the oracle, which joins and ranks itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.contracts.contract_toml import SHIPPED
from assay_oracle import Query, evaluate_groups
from assay_oracle import evaluate as oracle

Row = tuple[str, str, float]


class World:
    """A random corpus and predictions, as tables and as the oracle's rows."""

    def __init__(self, seed: int, grades: int) -> None:
        rng = np.random.default_rng(seed)
        posts = [f"p{number}" for number in range(rng.integers(2, 7))]
        criteria = [f"c{number}" for number in range(rng.integers(1, 4))]
        folds = {post: f"f{at % 2}" for at, post in enumerate(posts)}
        self.sentences = [(post, f"{post}_{at}") for post in posts for at in range(rng.integers(1, 9))]
        self.queries = [
            Query(f"{post}|{criterion}", post=post, criterion=criterion, fold=folds[post])
            for post in posts
            for criterion in criteria
        ]
        self.judgements: list[Row] = []
        self.candidates: list[Row] = []
        for query in self.queries:
            uids = [uid for post, uid in self.sentences if post == query.post]
            for uid in uids:
                if rng.random() < 0.3:
                    self.judgements.append((query.id, uid, float(rng.integers(0, grades + 1))))
                if rng.random() < 0.8:
                    self.candidates.append((query.id, uid, float(rng.integers(0, 4)) / 2))
        if not self.candidates:
            first = self.queries[0]
            uid = next(uid for post, uid in self.sentences if post == first.post)
            self.candidates = [(first.id, uid, 1.0)]
        order = rng.permutation(len(self.candidates))
        self.candidates = [self.candidates[at] for at in order]
        self.folds = folds
        self.criteria = criteria

    def corpus(self) -> assay.Corpus:
        gold = [(*query.split("|"), uid, grade) for query, uid, grade in self.judgements]
        columns = {
            "post_id": pl.String,
            "criterion_id": pl.String,
            "sent_uid": pl.String,
            "grade": pl.Float64,
        }
        if not gold:
            post, uid = self.sentences[0]
            gold = [(post, self.criteria[0], uid, 0.0)]
            self.judgements = [(f"{post}|{self.criteria[0]}", uid, 0.0)]
        return assay.Corpus.of(
            sentences=pl.DataFrame(self.sentences, schema=["post_id", "sent_uid"], orient="row"),
            criteria=pl.DataFrame({"criterion_id": self.criteria}),
            gold=pl.DataFrame(gold, schema=columns, orient="row"),
            folds=pl.DataFrame({"post_id": list(self.folds), "fold": list(self.folds.values())}),
        )

    def predictions(self) -> assay.Predictions:
        rows = [(*query.split("|"), uid, score) for query, uid, score in self.candidates]
        names = ["post_id", "criterion_id", "sent_uid", "score"]
        return assay.Predictions.of(pl.DataFrame(rows, schema=names, orient="row"))


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    name=st.sampled_from(SHIPPED),
    depth=st.sampled_from([None, None, 2, 5]),
    grades=st.sampled_from([1, 3]),
)
def test_tables_to_values(seed: int, name: str, depth: int | None, grades: int) -> None:
    world = World(seed, grades)
    contract = assay.contract(name).changed(depth=depth)
    corpus = world.corpus()
    result = assay.evaluate(world.predictions(), corpus, contract=contract, by=["criterion_id"])
    ids = {value.name: value.definition for value in result.measures}
    second = oracle(
        world.queries,
        world.judgements,
        world.candidates,
        set(ids.values()),
        ties=contract.ranking.ties,
        depth=depth,
    )
    for value in result.measures:
        theirs = second[value.definition]
        assert value.pooled == pytest.approx(theirs.value, abs=1e-12), value.definition
        assert value.n == theirs.n
        assert value.folds is not None
        assert dict(value.folds.values) == pytest.approx(
            {str(fold): each for fold, each in theirs.folds.items()}, abs=1e-12
        )
        assert value.folds.mean == pytest.approx(theirs.fold_mean, abs=1e-12)
        assert value.folds.std == (
            None if theirs.fold_std is None else pytest.approx(theirs.fold_std, abs=1e-12)
        )
        headline = value.folds.mean if contract.aggregate == "fold_mean" else value.pooled
        assert value.value == headline
    grouped = evaluate_groups(
        [replace(query, fold=None) for query in world.queries],
        world.judgements,
        world.candidates,
        set(ids.values()),
        by=lambda query: query.criterion,
        ties=contract.ranking.ties,
        depth=depth,
    )
    for label, row in result.groups["criterion_id"].items():
        for measure, group in row.items():
            theirs = grouped[label][ids[measure]]
            assert group.value == pytest.approx(theirs.value, abs=1e-12), (label, measure)
            assert group.n == theirs.n


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1))
def test_tie_sensitivity_counts_queries_that_an_order_of_ties_can_change(seed: int) -> None:
    """Against every order: all permutations of the tied candidates, by the oracle."""
    world = World(seed, 1)
    result = assay.evaluate(
        world.predictions(), world.corpus(), contract="evidence/1.0.0", measures=["recall@1", "ndcg@3", "mrr"]
    )
    rng = np.random.default_rng(seed)
    ids = [value.definition for value in result.measures]
    seen: dict[tuple[str, str], set[float]] = {}
    for _ in range(60):
        rows = [world.candidates[at] for at in rng.permutation(len(world.candidates))]
        for definition, outcome in oracle(world.queries, world.judgements, rows, ids).items():
            assert outcome.per_query is not None
            for query, each in outcome.per_query.items():
                seen.setdefault((definition, query), set()).add(round(each, 9))
    has_gold = {query for query, _, grade in world.judgements if grade >= 1}
    for value in result.measures:
        changing = sum(
            len(values) > 1
            for (definition, query), values in seen.items()
            if definition == value.definition and query in has_gold
        )
        assert value.tie_sensitive == changing
