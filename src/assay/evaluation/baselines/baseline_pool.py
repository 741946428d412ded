"""Where gold would be in other orders of its post: the table `baselines.csv` of a bundle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from assay.array_types import Floats, Ints
from assay.data.cases import Cases
from assay.data.corpus import QUERY, Corpus
from assay.errors import InputError
from assay.evaluation.baselines.bm25_scores import ROW, SentenceWords, gold_ranks
from assay.evaluation.bundle.bundle_files import read_table

NAME = "baselines.csv"
SENTENCES, BM25_SCORE, HIGHEST = "sentences", "bm25_score", "highest_score"
ORDERS = ("original", "bm25")


@dataclass(frozen=True, slots=True, eq=False)
class BaselinePool:
    """What the orders of a post's sentences and the highest scores of queries look like.

    `ranks` are those of each gold item in each order, in the order of `Cases.gold_query`; `scores` are
    the highest BM25 score and the system's highest score of each query (-inf without candidates).
    """

    sentences: Ints | None = None  # in the post of each query; None: the candidates are the system's
    ranks: Mapping[str, Ints] = field(default_factory=dict)
    scores: Mapping[str, Floats] = field(default_factory=dict)

    def table(self, cases: Cases) -> pl.DataFrame | None:
        """Return one row per query; the ranks of its gold as text, by descending grade."""
        columns: list[pl.Series] = []
        if self.sentences is not None:
            columns.append(pl.Series(SENTENCES, self.sentences))
        for name, ranks in self.ranks.items():
            gold = pl.DataFrame({"query": cases.gold_query, name: ranks})
            texts = gold.group_by("query").agg(pl.col(name).cast(pl.String).str.join(" "))
            every = pl.DataFrame({"query": np.arange(len(cases))})
            columns.append(every.join(texts, on="query", how="left", maintain_order="left")[name])
        for name, values in self.scores.items():  # no score of no candidate
            columns.append(pl.Series(name, np.where(np.isinf(values), np.nan, values)).fill_nan(None))
        return cases.keys.with_columns(columns) if columns else None


def highest_scores(cases: Cases, candidates: Callable[[], Iterable[pl.DataFrame]]) -> Floats:
    """Return the highest score of each query, -inf without candidates; they are read if need be."""
    if cases.pairs is not None:
        best = np.full(len(cases), -np.inf)
        np.maximum.at(best, cases.pairs.query, cases.pairs.score)
        return best
    keys = cases.keys.columns
    listed = pl.concat([part.group_by(keys).agg(pl.col("score").max()) for part in candidates()])
    listed = listed.group_by(keys).agg(pl.col("score").max())
    found = cases.keys.join(listed, on=keys, how="left", maintain_order="left")["score"]
    return found.fill_null(-np.inf).to_numpy()


def corpus_pool(corpus: Corpus, cases: Cases) -> BaselinePool:
    """Rank the gold of a corpus in the order of its posts and, if there are texts, by BM25."""
    places = _places(corpus.sentences.frame)
    posts = places.group_by("post_id").agg(pl.col("post").first(), pl.len().alias(SENTENCES))
    asked = cases.keys.select(QUERY).with_row_index("query")
    queries = asked.join(posts, on="post_id", how="left", maintain_order="left")
    gold = corpus.gold.frame.filter(pl.col("grade") > 0).select(*QUERY, "sent_uid", "grade")
    gold = gold.join(asked, on=QUERY, how="inner").with_row_index("row")
    gold = gold.join(places, on=("post_id", "sent_uid"), how="left", maintain_order="left")
    gold = gold.select("row", "query", ROW, "place", "grade")
    ranks: dict[str, Ints] = {"original": gold["place"].to_numpy()}
    scores: dict[str, Floats] = {}
    words = SentenceWords.of(corpus, places, queries.select("post", "criterion_id"))
    if words is not None:
        ranks["bm25"], scores[BM25_SCORE] = _by_words(words, queries, gold, places)
    grade, query = gold["grade"].to_numpy(), gold["query"].to_numpy()
    ordered = {
        name: found[np.lexsort((found, -grade, query))].astype(np.int64) for name, found in ranks.items()
    }
    return BaselinePool(queries[SENTENCES].fill_null(0).to_numpy().astype(np.int64), ordered, scores)


def _by_words(
    words: SentenceWords, queries: pl.DataFrame, gold: pl.DataFrame, places: pl.DataFrame
) -> tuple[Ints, Floats]:
    """Return the BM25 rank of each gold item, and the highest score of each query."""
    rank, best = np.zeros(gold.height, dtype=np.int64), np.zeros(queries.height)
    for part, found in words.scores(queries.select("query", "post", "criterion_id")):
        scored = found.with_columns(places["place"].gather(found[ROW]))
        mine = gold.join(part.select("query"), on="query", how="semi")
        ranked = gold_ranks(mine, scored)
        rank[ranked["row"].to_numpy()] = ranked["rank"].to_numpy()
        np.maximum.at(best, scored["query"].to_numpy(), scored["score"].to_numpy())
    return rank, best


def _places(sentences: pl.DataFrame) -> pl.DataFrame:
    """Return the row, the post as a number, and the place in it from 1, of each sentence.

    Places are by position where the corpus has positions, else by row.
    """
    found = sentences.select(
        "post_id",
        "sent_uid",
        pl.int_range(pl.len(), dtype=pl.UInt32).alias(ROW),
        pl.col("post_id").rank("dense").alias("post"),
    )
    place = pl.int_range(1, pl.len() + 1).over("post_id").alias("place")
    if "position" in sentences.columns:
        position = sentences["position"].cast(pl.Float64, strict=False)
        if not position.null_count():
            at = position.alias("__at")
            found = found.with_columns(at).sort("__at", maintain_order=True).with_columns(place).sort(ROW)
            return found.drop("__at")
    return found.with_columns(place)


def read_pool(folder: Path, cases: Cases) -> BaselinePool:
    """Return the pool that a bundle recorded, or an empty one; its ranks must be possible ones."""
    path = folder / NAME
    if not path.is_file():
        return BaselinePool()
    frame = read_table(path)
    keys = cases.keys.columns
    if set(keys) - set(frame.columns) or not frame.select(keys).equals(cases.keys):
        raise InputError.of(NAME, "has other queries than per_query.csv", "expected the same rows")
    sentences = _whole(frame, SENTENCES) if SENTENCES in frame.columns else None
    ranks = {name: _ranks(frame[name], cases, sentences) for name in ORDERS if name in frame.columns}
    scores = {
        name: frame[name].cast(pl.Float64, strict=False).fill_null(-np.inf).to_numpy()
        for name in (BM25_SCORE, HIGHEST)
        if name in frame.columns
    }
    return BaselinePool(sentences, ranks, scores)


def _whole(frame: pl.DataFrame, name: str) -> Ints:
    values = frame[name].cast(pl.Int64, strict=False)
    if values.null_count() or (values < 0).any():
        raise InputError.of(NAME, f"{name} is not a whole number from 0", "expected a bundle's own table")
    return values.to_numpy()


def _ranks(texts: pl.Series, cases: Cases, sentences: Ints | None) -> Ints:
    """Return the ranks of all gold items: of each query as many as it has gold, each once."""
    listed = texts.cast(pl.String).fill_null("").str.extract_all(r"\S+")
    counts = listed.list.len().to_numpy()
    ranks = listed.explode().drop_nulls().cast(pl.Int64, strict=False)
    wanted = np.bincount(cases.gold_query, minlength=len(cases))
    limit = np.full(len(cases), np.iinfo(np.int64).max) if sentences is None else sentences
    query = np.repeat(np.arange(len(cases)), counts)
    possible = ranks.null_count() == 0 and bool((counts == wanted).all())
    if possible:
        found = ranks.to_numpy()
        possible = bool(((found >= 1) & (found <= limit[query])).all())
        possible = possible and len(np.unique(np.stack([query, found]), axis=1).T) == len(found)
    if not possible:
        problem = f"{texts.name} has ranks that do not match the gold"
        raise InputError.of(NAME, problem, "expected one rank for each gold item of a query")
    return ranks.to_numpy()
