"""One result of the example with everything it can have, its bundle, and comparisons."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import assay

EXAMPLE = Path(__file__).parents[2] / "src" / "assay" / "example"
CORPUS = EXAMPLE / "corpus"


@pytest.fixture(scope="session")
def result() -> assay.Result:
    return assay.evaluate(
        EXAMPLE / "predictions", CORPUS, by="default", system="mine", bootstrap=assay.Bootstrap(60)
    )


@pytest.fixture(scope="session")
def small() -> assay.Result:
    return assay.evaluate(assay.read_trec(EXAMPLE / "qrels.txt", EXAMPLE / "run.txt"))


@pytest.fixture(scope="session")
def bundle(result: assay.Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return result.save(tmp_path_factory.mktemp("objects") / "bundle")


@pytest.fixture(scope="session")
def predictions() -> list[assay.Predictions]:
    """Three systems: the example, one with reversed scores, one with equal scores."""
    given = pl.read_csv(EXAMPLE / "predictions" / "candidates.csv")
    decisions = pl.read_csv(EXAMPLE / "predictions" / "decisions.csv")
    scores = (pl.col("score"), -pl.col("score"), pl.lit(0.5).alias("score"))
    return [
        assay.Predictions.of(candidates=given.with_columns(score.cast(pl.Float64)), decisions=decisions)
        for score in scores
    ]


@pytest.fixture(scope="session")
def pair(predictions: list[assay.Predictions]) -> assay.Comparison:
    return _compared(predictions[:2], all_pairs=False)


@pytest.fixture(scope="session")
def three(predictions: list[assay.Predictions]) -> assay.Comparison:
    return _compared(predictions, all_pairs=False)


@pytest.fixture(scope="session")
def every_pair(predictions: list[assay.Predictions]) -> assay.Comparison:
    return _compared(predictions, all_pairs=True)


def _compared(systems: list[assay.Predictions], *, all_pairs: bool) -> assay.Comparison:
    return assay.compare(
        *systems,
        corpus=CORPUS,
        names=["a", "b", "c"][: len(systems)],
        measures=["ndcg@10", "mrr"],
        all_pairs=all_pairs,
        resamples=50,
    )
