"""Probabilities and scores that contain the gold."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from audit_leaks.registry import plant
from audit_leaks.worlds import PAIR, QUERY, Draws, World, queries_of


def decided(world: World) -> pl.DataFrame:
    return world.predictions["decisions"].join(
        queries_of(world.corpus), on=QUERY, how="left", maintain_order="left"
    )


def give_prob(world: World, prob: Any) -> None:
    value = pl.Series("prob", np.clip(prob, 0.0, 1.0))
    world.predictions["decisions"] = world.predictions["decisions"].with_columns(value)


def flipped(label: Any, share: float, draws: Draws) -> Any:
    many = max(1, round(share * len(label))) if share else 0
    made = label.copy()
    at = draws.choice(len(label), size=many, replace=False)
    made[at] = 1 - made[at]
    return made


@plant(
    "probabilities",
    "probability = label, some flipped",
    s1=("1 in 2,000", 1 / 2000),
    s2=("1 in 100", 0.01),
    s3=("1 in 20", 0.05),
)
def label_flipped(world: World, share: float, draws: Draws) -> None:
    give_prob(world, flipped(decided(world)["yes"].cast(float).to_numpy(), share, draws))


@plant(
    "probabilities",
    "probability = label + normal noise",
    s1=("sd 0.1", 0.1),
    s2=("sd 0.2", 0.2),
    s3=("sd 0.3", 0.3),
)
def label_noisy(world: World, noise: float, draws: Draws) -> None:
    label = decided(world)["yes"].cast(float).to_numpy()
    give_prob(world, label + noise * draws.normal(size=len(label)))


@plant("probabilities", "label mixed into the probability", s1=("60%", 0.6), s2=("40%", 0.4), s3=("20%", 0.2))
def label_mixed(world: World, share: float, draws: Draws) -> None:
    rows = decided(world)
    give_prob(world, share * rows["yes"].cast(float) + (1 - share) * rows["prob"])


@plant("probabilities", "wrong decisions repaired", s1=("all", 1.0), s2=("9 of 10", 0.9), s3=("half", 0.5))
def repaired(world: World, share: float, draws: Draws) -> None:
    rows = decided(world)
    prob, yes = rows["prob"].to_numpy(), rows["yes"].to_numpy()
    wrong = ((prob >= 0.5) != yes) & (draws.random(len(prob)) < share)
    give_prob(world, np.where(wrong, 1 - prob, prob))


@plant(
    "probabilities",
    "probability = label in one fold, some flipped",
    s1=("none", 0.0),
    s2=("1 in 100", 0.01),
    s3=("1 in 10", 0.1),
)
def label_in_one_fold(world: World, share: float, draws: Draws) -> None:
    rows = decided(world)
    label = flipped(rows["yes"].cast(float).to_numpy(), share, draws)
    give_prob(world, np.where(rows["fold"].to_numpy() == 1, label, rows["prob"].to_numpy()))


# Lists


def listed(world: World) -> pl.DataFrame:
    marked = world.corpus["gold"].with_columns(pl.lit(1.0).alias("hit"))
    rows = world.predictions["candidates"].join(marked, on=PAIR, how="left", maintain_order="left")
    rows = rows.with_columns(pl.col("hit").fill_null(0.0))
    queue = rows.select(QUERY).unique(maintain_order=True).with_row_index("list")
    return rows.join(queue, on=QUERY, how="left", maintain_order="left")


def give_list(world: World, rows: pl.DataFrame) -> None:
    world.predictions["candidates"] = rows.select(*PAIR, "score")


def some_lists(rows: pl.DataFrame, share: float, draws: Draws) -> pl.Series:
    """Return for each row whether its list was drawn, with this chance."""
    drawn = draws.random(int(rows["list"].max()) + 1) < share  # type: ignore[arg-type]
    return pl.Series(drawn[rows["list"].to_numpy()])


@plant("lists", "gold scored first, some lists reversed", s1=("none", 0.0), s2=("2%", 0.02), s3=("10%", 0.1))
def gold_first(world: World, share: float, draws: Draws) -> None:
    rows = listed(world)
    sign = pl.when(some_lists(rows, share, draws)).then(-9.0).otherwise(9.0)
    give_list(world, rows.with_columns(pl.col("score") + sign * pl.col("hit")))


@plant("lists", "gold scored first, some lists honest", s1=("2%", 0.02), s2=("10%", 0.1), s3=("50%", 0.5))
def gold_often_first(world: World, share: float, draws: Draws) -> None:
    rows = listed(world)
    more = pl.when(some_lists(rows, share, draws)).then(0.0).otherwise(9.0)
    give_list(world, rows.with_columns(pl.col("score") + more * pl.col("hit")))


@plant("lists", "gold scored higher", s1=("by 9 sd", 9.0), s2=("by 3 sd", 3.0), s3=("by 1 sd", 1.0))
def gold_higher(world: World, more: float, draws: Draws) -> None:
    give_list(world, listed(world).with_columns(pl.col("score") + more * pl.col("hit")))


@plant("lists", "lists cut short without evidence", s1=("all", 1.0), s2=("9 of 10", 0.9), s3=("half", 0.5))
def cut_by_label(world: World, share: float, draws: Draws) -> None:
    rows = listed(world).join(queries_of(world.corpus), on=QUERY, how="left", maintain_order="left")
    place = pl.col("score").rank("ordinal", descending=True).over(QUERY)
    kept = pl.col("yes") | (place <= 3) | ~some_lists(rows, share, draws)
    give_list(world, rows.filter(kept))


@plant("lists", "lost gold added to its list", s1=("all", 1.0), s2=("half", 0.5), s3=("1 of 10", 0.1))
def gold_added(world: World, share: float, draws: Draws) -> None:
    rows = world.predictions["candidates"]
    lost = world.corpus["gold"].join(rows, on=PAIR, how="anti", maintain_order="left")
    low = rows.group_by(QUERY).agg(pl.col("score").min() - 0.1)
    add = lost.join(low, on=QUERY, maintain_order="left").select(*PAIR, "score")
    add = add.filter(pl.Series(draws.random(len(add)) < share))
    world.predictions["candidates"] = pl.concat([rows, add])


@plant(
    "lists",
    "lost gold put in the place of the last candidate",
    s1=("all", 1.0),
    s2=("half", 0.5),
    s3=("1 of 10", 0.1),
)
def gold_replaced(world: World, share: float, draws: Draws) -> None:
    before = world.predictions["candidates"]
    gold_added(world, share, draws)
    rows = listed(world)
    over = rows.filter(pl.col("hit") == 0).with_columns(
        pl.col("score").rank("ordinal").over(QUERY).alias("last")
    )
    sizes = before.group_by(QUERY).len("was").join(rows.group_by(QUERY).len("now"), on=QUERY)
    out = over.join(sizes, on=QUERY).filter(pl.col("last") <= pl.col("now") - pl.col("was"))
    give_list(world, rows.join(out.select(PAIR), on=PAIR, how="anti", maintain_order="left"))


@plant(
    "decisions",
    "selected K = number of gold sentences, some random",
    s1=("none", 0.0),
    s2=("1 in 50", 0.02),
    s3=("1 in 5", 0.2),
)
def counted_gold(world: World, share: float, draws: Draws) -> None:
    gold = world.corpus["gold"].group_by(QUERY).len("golds")
    rows = decided(world).join(gold, on=QUERY, how="left", maintain_order="left")
    k = rows["golds"].fill_null(0).cast(pl.Int64).to_numpy()
    k = np.where(draws.random(len(k)) < share, draws.integers(0, 4, size=len(k)), k)
    decide(world, selected_k=k)


@plant(
    "decisions",
    "selected K = number of gold sentences where the gate passes, some random",
    s1=("none", 0.0),
    s2=("1 in 50", 0.02),
    s3=("1 in 5", 0.2),
)
def counted_gold_if_returned(world: World, share: float, draws: Draws) -> None:
    passes = world.predictions["decisions"]["prob"].to_numpy() >= 0.5
    counted_gold(world, share, draws)
    k = world.predictions["decisions"]["selected_k"].to_numpy()
    decide(world, selected_k=np.where(passes, np.maximum(k, 1), 0))


@plant(
    "decisions", "state = label, some flipped", s1=("none", 0.0), s2=("1 in 100", 0.01), s3=("1 in 20", 0.05)
)
def state_of_label(world: World, share: float, draws: Draws) -> None:
    label = flipped(decided(world)["yes"].cast(float).to_numpy(), share, draws)
    decide(world, state=np.where(label == 1, "POS", "NEG"))


def decide(world: World, **columns: Any) -> None:
    """Give the decisions other columns; without K and thresholds, which the state would contradict."""
    left_out = [] if "selected_k" in columns else ["selected_k", "tau_neg", "tau_pos"]
    rows = world.predictions["decisions"].drop(left_out, strict=False)
    made = [pl.Series(name, values) for name, values in columns.items()]
    world.predictions["decisions"] = rows.drop("state", strict=False).with_columns(made)
