"""Orders, thresholds and TUNE queries that follow the gold of EVAL."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

import assay
from audit_leaks.answers import decided, give_list, listed, some_lists
from audit_leaks.registry import plant
from audit_leaks.worlds import QUERY, Draws, World, queries_of

SENSITIVITY = "sensitivity_0.95"


def sorted_by_gold(rows: pl.DataFrame, honest: pl.Series, draws: Draws) -> pl.DataFrame:
    """Put gold first in each list, in a random order in honest ones."""
    chance = pl.Series("any", draws.random(len(rows)))
    rows = rows.with_columns(chance, honest.alias("honest"))
    first = pl.when("honest").then(pl.col("any")).otherwise(-pl.col("hit"))
    return rows.sort("list", first, maintain_order=True)


@plant(
    "orders",
    "gold first among tied candidates, some groups random",
    s1=("none", 0.0),
    s2=("5%", 0.05),
    s3=("30%", 0.3),
)
def gold_first_in_ties(world: World, share: float, draws: Draws) -> None:
    rows = listed(world).with_columns(pl.col("score").round(0))
    give_list(world, sorted_by_gold(rows, some_lists(rows, share, draws), draws))


@plant(
    "orders",
    "rows with gold first under honest scores, some lists random",
    s1=("none", 0.0),
    s2=("5%", 0.05),
    s3=("30%", 0.3),
)
def gold_first_in_rows(world: World, share: float, draws: Draws) -> None:
    rows = listed(world)
    give_list(world, sorted_by_gold(rows, some_lists(rows, share, draws), draws))


def sentences_by_gold(world: World, share: float, draws: Draws) -> pl.DataFrame:
    """Return the sentences of each post, those that are gold of any criterion first."""
    gold = world.corpus["gold"].select("sent_uid").unique().with_columns(hit=pl.lit(1.0))
    rows = world.corpus["sentences"].join(gold, on="sent_uid", how="left", maintain_order="left")
    rows = rows.with_columns(pl.col("hit").fill_null(0.0))
    queue = rows.select("post_id").unique(maintain_order=True).with_row_index("list")
    rows = rows.join(queue, on="post_id", how="left", maintain_order="left")
    return sorted_by_gold(rows, some_lists(rows, share, draws), draws)


@plant(
    "orders",
    "sentences listed with gold first, some posts random",
    s1=("none", 0.0),
    s2=("2%", 0.02),
    s3=("20%", 0.2),
)
def sentence_rows(world: World, share: float, draws: Draws) -> None:
    columns = world.corpus["sentences"].columns
    world.corpus["sentences"] = sentences_by_gold(world, share, draws).select(columns)


@plant(
    "orders",
    "positions with gold first, some posts random",
    s1=("none", 0.0),
    s2=("2%", 0.02),
    s3=("20%", 0.2),
)
def sentence_positions(world: World, share: float, draws: Draws) -> None:
    rows = sentences_by_gold(world, share, draws)
    place = pl.int_range(pl.len()).over("post_id").cast(pl.Int64).alias("position")
    columns = world.corpus["sentences"].columns
    moved = rows.with_columns(place).select(columns)
    order = world.corpus["sentences"].select("sent_uid")
    world.corpus["sentences"] = order.join(moved, on="sent_uid", maintain_order="left").select(columns)


@plant(
    "orders",
    "sentence ids numbered with gold first, some posts random",
    s1=("none", 0.0),
    s2=("2%", 0.02),
    s3=("20%", 0.2),
)
def sentence_ids(world: World, share: float, draws: Draws) -> None:
    rows = sentences_by_gold(world, share, draws)
    fresh = rows.with_columns(
        pl.format("{}.{}", "post_id", pl.int_range(pl.len()).over("post_id")).alias("fresh")
    )
    names = dict(fresh.select("sent_uid", "fresh").iter_rows())
    for tables, name in (
        (world.corpus, "sentences"),
        (world.corpus, "gold"),
        (world.predictions, "candidates"),
    ):
        tables[name] = tables[name].with_columns(pl.col("sent_uid").replace_strict(names))


def give_taus(world: World, choose: Callable[[pl.DataFrame], float]) -> None:
    """Choose tau_neg on the EVAL queries of each fold."""
    rows = decided(world)
    values = {fold: choose(part) for (fold,), part in rows.group_by("fold")}
    tau = pl.col("fold").replace_strict(values, return_dtype=pl.Float64).alias("tau_neg")
    rows = rows.with_columns(tau)
    rows = rows.with_columns(pl.max_horizontal("tau_neg", "tau_pos").alias("tau_pos"))
    world.predictions["decisions"] = rows.select(world.predictions["decisions"].columns)


def chosen(rows: pl.DataFrame, rule: str) -> float:
    posts = rows["post_id"].to_list()
    return float(assay.choose_threshold(rows["prob"], rows["yes"], rule, posts=posts).value)


@plant(
    "thresholds",
    "EVAL's threshold at 95% sensitivity, multiplied",
    s1=("by 1", 1.0),
    s2=("by 0.999", 0.999),
    s3=("by 0.99", 0.99),
)
def eval_sensitivity(world: World, factor: float, draws: Draws) -> None:
    give_taus(world, lambda rows: factor * float(np.quantile(rows.filter("yes")["prob"], 0.05)))


@plant(
    "thresholds", "EVAL's best F1, multiplied", s1=("by 1", 1.0), s2=("by 0.999", 0.999), s3=("by 0.99", 0.99)
)
def eval_f1(world: World, factor: float, draws: Draws) -> None:
    give_taus(world, lambda rows: factor * chosen(rows, "f1"))


@plant(
    "thresholds",
    "EVAL's best F1, rounded",
    s1=("to 5 decimals", 5),
    s2=("to 3 decimals", 3),
    s3=("to 2 decimals", 2),
)
def eval_rounded(world: World, digits: int, draws: Draws) -> None:
    give_taus(world, lambda rows: round(chosen(rows, "f1"), digits))


def tuned(world: World) -> pl.DataFrame:
    return world.predictions["tune"].join(
        queries_of(world.corpus).drop("fold"), on=QUERY, how="left", maintain_order="left"
    )


def give_tune(world: World, rows: pl.DataFrame) -> None:
    """Return TUNE with these probabilities, and the thresholds that its own rule chooses."""
    rows = rows.with_columns(pl.col("prob").clip(0.0, 1.0))
    world.predictions["tune"] = rows.select(world.predictions["tune"].columns)
    values = {fold: chosen(part, SENSITIVITY) for (fold,), part in rows.group_by("fold")}
    own = decided(world)
    tau = pl.col("fold").replace_strict(values, return_dtype=pl.Float64).alias("tau_neg")
    own = own.with_columns(tau)
    own = own.with_columns(pl.max_horizontal("tau_neg", "tau_pos").alias("tau_pos"))
    world.predictions["decisions"] = own.select(world.predictions["decisions"].columns)


@plant(
    "thresholds",
    "TUNE shifted until its rule chooses what EVAL would",
    s1=("exactly", 0.0),
    s2=("within 0.001", 0.001),
    s3=("within 0.01", 0.01),
)
def tune_shifted(world: World, miss: float, draws: Draws) -> None:
    own, rows = decided(world), tuned(world)
    parts = []
    for (fold,), part in rows.group_by("fold", maintain_order=True):
        wanted = chosen(own.filter(pl.col("fold") == fold), SENSITIVITY)
        wanted += miss * float(draws.uniform(-1, 1))
        got = chosen(part, SENSITIVITY)
        moved = pl.col("prob") + (wanted - got)
        exact = pl.when(pl.col("prob") == got).then(wanted).otherwise(moved)
        parts.append(part.with_columns(exact.alias("prob")))
    give_tune(world, pl.concat(parts))


@plant(
    "thresholds",
    "TUNE made of labels",
    s1=("labels", 0.0),
    s2=("noise of sd 0.2", 0.2),
    s3=("noise of sd 0.4", 0.4),
)
def tune_of_labels(world: World, noise: float, draws: Draws) -> None:
    rows = tuned(world)
    label = rows["yes"].cast(pl.Float64).to_numpy()
    value = np.clip(label + noise * draws.normal(size=len(label)), 0, 1)
    give_tune(world, rows.with_columns(pl.Series("prob", value)))


@plant(
    "thresholds",
    "TUNE drawn from EVAL's own probabilities",
    s1=("all", 1.0),
    s2=("half", 0.5),
    s3=("1 of 10", 0.1),
)
def tune_from_eval(world: World, share: float, draws: Draws) -> None:
    own, rows = decided(world), tuned(world)
    value = rows["prob"].to_numpy().copy()
    fold, yes = rows["fold"].to_numpy(), rows["yes"].to_numpy()
    for (name, label), part in own.group_by("fold", "yes"):
        at = np.flatnonzero((fold == name) & (yes == label) & (draws.random(len(value)) < share))
        value[at] = draws.choice(part["prob"].to_numpy(), size=len(at))
    give_tune(world, rows.with_columns(pl.Series("prob", value)))


@plant(
    "thresholds", "EVAL posts among the TUNE posts", s1=("all", 1000), s2=("10 posts", 10), s3=("1 post", 1)
)
def tune_of_eval(world: World, many: int, draws: Draws) -> None:
    own = decided(world)
    posts = own["post_id"].unique(maintain_order=True).to_list()[:many]
    add = own.filter(pl.col("post_id").is_in(posts)).select(*QUERY, "fold", "prob")
    world.predictions["tune"] = pl.concat([world.predictions["tune"], add])
