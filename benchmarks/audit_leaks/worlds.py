"""Clean prediction folders of many kinds, in which nothing leaked: the audit must stay silent.

`clean(number)` draws a corpus and the predictions of an honest system: weak or strong (AUROC 0.5 to
0.998), few posts or many, rounded or not, in several orders, with repeated phrases, with or without
TUNE and thresholds. The same number gives the same folder.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import assay

QUERY = ["post_id", "criterion_id"]
PAIR = [*QUERY, "sent_uid"]
Draws = np.random.Generator

SYLLABLES = (
    "ba",
    "de",
    "ki",
    "lo",
    "mu",
    "ra",
    "se",
    "ti",
    "vo",
    "na",
    "pe",
    "shi",
    "gro",
    "lan",
    "ter",
    "mon",
    "cla",
    "dri",
    "fen",
    "wo",
)
STOCK = (
    "i do not know what to do any more",
    "thank you for reading this",
    "i feel sad",
    "i can not sleep at night",
    "any advice is welcome",
    "sorry for the long post",
    "i have been feeling tired and empty for as long as i can remember",
    "does anyone else have this problem too",
    "my doctor gave me these pills and they did not help me at all",
    "i just want it to stop",
)


@dataclass(frozen=True)
class Kind:
    """What varies between clean folders."""

    posts: int = 400
    criteria: int = 5
    folds: int = 5
    rate: float = 0.2
    signal: float = 1.6  # of the scores of gold, in standard deviations
    gate: float = 1.6  # of the probabilities of queries with evidence
    hard: float = 0.3  # share of the variance of a probability that is due to its post
    digits: int = 15
    levels: int = 0  # distinct probabilities of an isotonic calibration; 0 for no ties
    score_digits: int = 15
    rows: str = "place"  # order of the candidates: score, place, id, random, retriever
    cut: str = "fixed"
    early: float = 0.0  # how much more often the first sentences are gold
    stock: float = 0.15  # share of stock phrases
    tune: str = "nested"  # nested, none
    refit: float = 0.0  # how much better EVAL is than TUNE, because the model was refitted
    taus: str = "tune"  # tune, hand, none
    selects: str = "none"  # how K is chosen where the state is not NEG: scores, two; none: no K, no state
    seed: int = 0


@dataclass
class World:
    """Tables of a corpus and of predictions, to change and to write."""

    corpus: dict[str, pl.DataFrame]
    predictions: dict[str, pl.DataFrame]
    kind: Kind = field(default_factory=Kind)

    def copy(self) -> World:
        return replace(self, corpus=dict(self.corpus), predictions=dict(self.predictions))

    def write(self, folder: Path) -> tuple[Path, Path]:
        homes = folder / "corpus", folder / "predictions"
        for home, tables in zip(homes, (self.corpus, self.predictions), strict=True):
            home.mkdir(parents=True, exist_ok=True)
            for name, table in tables.items():
                table.write_csv(home / f"{name}.csv")
        return homes

    def audit(self) -> assay.AuditReport:
        tables: dict[str, Any] = dict(self.corpus)
        given: dict[str, Any] = dict(self.predictions)
        return assay.audit(assay.Corpus.of(**tables), assay.Predictions.of(**given))


def kind_of(number: int) -> Kind:
    """Return the kind of a clean folder, drawn by its number."""
    draws = np.random.default_rng([number, 17])

    def one(*values: Any) -> Any:
        return values[int(draws.integers(len(values)))]

    signal = float(one(0.0, 0.8, 1.6, 2.4, 3.3))
    return Kind(
        posts=one(15, 40, 90, 200, 400),
        criteria=one(1, 3, 5, 9),
        folds=one(1, 2, 3, 5, 10),
        rate=float(one(0.03, 0.1, 0.25, 0.5)),
        signal=signal,
        gate=float(one(signal, 1.6, 2.4, 3.3, 4.1)),  # 3.3: AUROC 0.99; 4.1: 0.998
        hard=float(one(0.0, 0.3, 0.6)),
        digits=one(15, 15, 4, 2, 1),
        levels=one(0, 0, 0, 12),
        score_digits=one(15, 15, 1, 0),
        rows=one("score", "place", "id", "random", "retriever"),
        cut=one("none", "fixed", "score"),
        early=float(one(0.0, 1.0, 4.0)),
        stock=float(one(0.0, 0.15, 0.4)),
        tune=one("nested", "nested", "none"),
        refit=float(one(0.0, 0.0, 0.2)),
        taus=one("tune", "tune", "hand", "none"),
        selects=("scores", "two", "none")[number % 3],
        seed=number,
    )


def clean(number: int) -> World:
    return drawn(kind_of(number))


def drawn(kind: Kind) -> World:
    """Return a corpus and the predictions of an honest system."""
    corpus = corpus_tables(kind)
    return World(corpus, answers(corpus, kind), kind)


def corpus_tables(kind: Kind) -> dict[str, pl.DataFrame]:
    draws = np.random.default_rng([kind.seed, 1])
    names = [f"c{at}" for at in range(kind.criteria)]
    sentences, gold = [], []
    for at in range(kind.posts):
        post = f"post{at:04d}"
        size = int(draws.integers(5, 14))
        weight = 1.0 + kind.early * (np.arange(size) < 2)
        texts = [sentence(draws, kind.stock) for _ in range(size)]
        sentences += [(post, f"{post}.{place}", place, each) for place, each in enumerate(texts)]
        for name in names:
            if draws.random() < kind.rate or at < 3:  # every corpus has evidence
                many = int(draws.integers(1, 3))
                places = draws.choice(size, size=many, replace=False, p=weight / weight.sum())
                gold += [(post, name, f"{post}.{place}") for place in sorted(places)]
    made = {
        "sentences": pl.DataFrame(
            sentences, schema=["post_id", "sent_uid", "position", "text"], orient="row"
        ),
        "criteria": pl.DataFrame({"criterion_id": names, "text": [f"the {n}" for n in names]}),
        "gold": pl.DataFrame(gold, schema=dict.fromkeys(PAIR, pl.String), orient="row"),
    }
    if kind.folds > 1:
        of = assay.folds(dict.fromkeys(row[0] for row in sentences), kind.folds, kind.seed)
        made["folds"] = pl.DataFrame({"post_id": list(of), "fold": list(of.values())})
    return made


def words(draws: Draws, many: int) -> list[str]:
    """Return words by Zipf's law: some are frequent, most are rare."""
    codes = draws.zipf(1.25, size=many) % 8000
    parts = len(SYLLABLES)
    return [
        SYLLABLES[c % parts] + SYLLABLES[c // parts % parts] + SYLLABLES[c // parts**2 % parts]
        for c in codes.tolist()
    ]


def sentence(draws: Draws, stock: float) -> str:
    if draws.random() < stock:
        return STOCK[int(draws.integers(len(STOCK)))].capitalize() + "."
    return " ".join(words(draws, int(draws.integers(4, 18)))).capitalize() + "."


def queries_of(corpus: dict[str, pl.DataFrame]) -> pl.DataFrame:
    posts = corpus["sentences"].select("post_id").unique(maintain_order=True)
    counts = corpus["gold"].group_by(QUERY).agg(pl.len().cast(pl.Int64).alias("gold"))
    queries = posts.join(corpus["criteria"].select("criterion_id"), how="cross")
    made = queries.join(counts, on=QUERY, how="left", maintain_order="left")
    made = made.with_columns(pl.col("gold").fill_null(0), (pl.col("gold") > 0).fill_null(False).alias("yes"))
    if "folds" not in corpus:
        return made.with_columns(pl.lit(0).cast(pl.Int64).alias("fold"))
    return made.join(corpus["folds"], on="post_id", how="left", maintain_order="left")


def answers(corpus: dict[str, pl.DataFrame], kind: Kind) -> dict[str, pl.DataFrame]:
    draws = np.random.default_rng([kind.seed, 2])
    queries = queries_of(corpus)
    made = {"candidates": candidates(corpus, queries, kind, draws)}
    level = None if not kind.levels else np.sort(draws.random(kind.levels))

    def prob(rows: pl.DataFrame, gate: float) -> pl.Series:
        posts = {post: draws.normal() for post in rows["post_id"].unique(maintain_order=True)}
        shared = np.array([posts[post] for post in rows["post_id"]])
        noise = np.sqrt(kind.hard) * shared + np.sqrt(1 - kind.hard) * draws.normal(size=len(rows))
        value = 1 / (1 + np.exp(-gate * rows["yes"].to_numpy() - noise + gate / 2 + 0.5))
        if level is not None:
            value = level[np.minimum((value * kind.levels).astype(int), kind.levels - 1)]
        return pl.Series("prob", np.round(value, kind.digits))

    decisions = queries.with_columns(prob(queries, kind.gate + kind.refit))
    tune, own = [], []
    folds = sorted(queries["fold"].unique()) if kind.folds > 1 and kind.tune == "nested" else []
    for fold in folds:
        others = sorted(queries.filter(pl.col("fold") != fold)["post_id"].unique())
        _, chosen = assay.split(others, (0.7, 0.3), kind.seed + fold)
        mine = queries.filter(pl.col("post_id").is_in(chosen))
        mine = mine.with_columns(prob(mine, kind.gate), pl.lit(fold).cast(pl.Int64).alias("fold"))
        tune.append(mine)
        if mine["yes"].any() and not mine["yes"].all():
            low, high = (
                assay.choose_threshold(mine["prob"], mine["yes"], rule).value
                for rule in ("sensitivity_0.95", "f1")
            )
        else:
            low, high = 0.5, 0.5
        own.append((fold, *sorted((min(low, 1.0), min(high, 1.0)))))
    kept = [*QUERY, "prob"]
    if kind.taus == "hand":
        taus = [pl.lit(0.2).alias("tau_neg"), pl.lit(0.5).alias("tau_pos")]
        decisions, kept = decisions.with_columns(taus), [*kept, "tau_neg", "tau_pos"]
    elif kind.taus == "tune" and own:
        frame = pl.DataFrame(own, schema=["fold", "tau_neg", "tau_pos"], orient="row")
        decisions = decisions.join(frame, on="fold", how="left", maintain_order="left")
        kept += ["tau_neg", "tau_pos"]
    if kind.selects != "none":
        decisions, kept = selected(decisions, made["candidates"], kind), [*kept, "selected_k", "state"]
    made["decisions"] = decisions.select(kept)
    if tune:
        made["tune"] = pl.concat(tune).select(*QUERY, "fold", "prob")
    return made


def selected(decisions: pl.DataFrame, listed: pl.DataFrame, kind: Kind) -> pl.DataFrame:
    """Return the decisions with a state and a K that follow from probabilities and scores."""
    prob = pl.col("prob")
    has = "tau_neg" in decisions.columns
    low, high = (pl.col("tau_neg"), pl.col("tau_pos")) if has else (pl.lit(0.2), pl.lit(0.5))
    above = pl.col("score") >= listed["score"].quantile(0.8)
    counts = listed.group_by(QUERY).agg(above.sum().alias("above"), pl.len().alias("listed"))
    decisions = decisions.join(counts, on=QUERY, how="left", maintain_order="left")
    state = pl.when(prob < low).then(pl.lit("NEG")).when(prob >= high).then(pl.lit("POS"))
    chosen = pl.col("above").clip(1) if kind.selects == "scores" else pl.lit(2)
    listed_k = pl.min_horizontal(chosen.cast(pl.Int64), pl.col("listed").cast(pl.Int64).fill_null(0))
    return decisions.with_columns(state.otherwise(pl.lit("UNCERTAIN")).alias("state")).with_columns(
        pl.when(pl.col("state") == "NEG").then(0).otherwise(listed_k.fill_null(0)).alias("selected_k")
    )


def candidates(
    corpus: dict[str, pl.DataFrame], queries: pl.DataFrame, kind: Kind, draws: Draws
) -> pl.DataFrame:
    rows = queries.join(
        corpus["sentences"].select("post_id", "sent_uid"), on="post_id", maintain_order="left"
    )
    marked = corpus["gold"].with_columns(pl.lit(1.0).alias("hit"))
    rows = rows.join(marked, on=PAIR, how="left", maintain_order="left")
    hit = rows["hit"].fill_null(0.0).to_numpy()
    score = hit * kind.signal + draws.normal(size=len(rows))
    first = hit * min(kind.signal, 1.0) + draws.normal(size=len(rows))  # of another retriever
    rows = rows.with_columns(
        pl.Series("score", score), pl.Series("first", first), pl.Series("any", draws.random(len(rows)))
    )
    place = pl.col("score").rank("ordinal", descending=True).over(QUERY)
    kept = {"fixed": place <= 6, "score": pl.col("score") > 0.3, "none": place >= 1}[kind.cut]
    rows = rows.filter(kept)
    order = {"score": ["score"], "random": ["any"], "retriever": ["first"], "id": ["sent_uid"]}
    if kind.rows in order:
        queue = rows.select(QUERY).unique(maintain_order=True).with_row_index("list")
        rows = rows.join(queue, on=QUERY, how="left", maintain_order="left")
        down = kind.rows in ("score", "retriever")
        rows = rows.sort("list", *order[kind.rows], descending=[False, down], maintain_order=True)
    if kind.score_digits < 15:
        rows = rows.with_columns(pl.col("score").round(kind.score_digits))
    return rows.select(*PAIR, "score")
