"""Leaks that were planted in tables: each is found by its check, or refused when it is read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import assay
from assay.verification.audit.check_list import CHECKS
from tests.verification.audit.synthetic import QUERY, World, clean_bundle, clean_world, queries_of
from tests.verification.audit.test_disguised import CASES

SEED = 5
PLANTS: dict[str, tuple[str, Callable[[World], None]]] = {}
"""By name: the code that must find it, and what plants it."""


def plant(code: str) -> Callable[[Callable[[World], None]], Callable[[World], None]]:
    def keep(function: Callable[[World], None]) -> Callable[[World], None]:
        PLANTS[function.__name__] = code, function
        return function

    return keep


def text_of(world: World, post: str) -> list[str]:
    return world.corpus["sentences"].filter(pl.col("post_id") == post)["text"].to_list()


def other_fold(world: World, post: str) -> str:
    folds = dict(world.corpus["folds"].iter_rows())
    return next(each for each in folds if folds[each] != folds[post])


def give_text(world: World, post: str, texts: list[str]) -> None:
    """The post says these sentences, as many as it has."""
    rows = world.corpus["sentences"]
    mine = rows.filter(pl.col("post_id") == post)
    whole = " ".join(texts).split()
    parts = [" ".join(part) for part in np.array_split(whole, len(mine))]
    fresh = mine.with_columns(pl.Series("text", parts))
    world.corpus["sentences"] = pl.concat([rows.filter(pl.col("post_id") != post), fresh])


def decided(world: World) -> pl.DataFrame:
    made = world.predictions["decisions"].join(queries_of(world.corpus), on=QUERY)
    return made.with_columns((pl.col("gold") > 0).alias("yes"))


@plant("L001")
def post_in_two_folds_of_the_decisions(world: World) -> None:
    del world.corpus["folds"]
    rows = queries_of(clean_world(SEED).corpus).select(*QUERY, "fold")
    table = world.predictions["decisions"].join(rows, on=QUERY)
    first = pl.col("post_id") == table["post_id"][0]
    moved = pl.when(first & (pl.col("criterion_id") == "A")).then((pl.col("fold") + 1) % 3)
    world.predictions["decisions"] = table.with_columns(moved.otherwise("fold").alias("fold"))
    del world.predictions["tune"]


@plant("L002")
def criterion_under_two_ids(world: World) -> None:
    table = world.corpus["criteria"]
    again = pl.when(pl.col("criterion_id") == "B").then(pl.lit("Criterion number: A"))
    world.corpus["criteria"] = table.with_columns(again.otherwise("text").alias("text"))


@plant("L003")
def same_post_in_two_folds(world: World) -> None:
    post = world.corpus["folds"]["post_id"][0]
    upper = [text.upper() + "!" for text in text_of(world, post)]
    give_text(world, other_fold(world, post), upper)


@plant("L004")
def nearly_the_same_post_in_two_folds(world: World) -> None:
    post = world.corpus["folds"]["post_id"][0]
    words = " ".join(text_of(world, post)).split()
    words[len(words) // 2] = "edited"
    give_text(world, other_fold(world, post), words)


@plant("L006")
def sentence_in_two_posts(world: World) -> None:
    post = world.corpus["folds"]["post_id"][0]
    other = other_fold(world, post)
    row = world.corpus["sentences"].filter(pl.col("post_id") == post).head(1)
    copy = row.with_columns(pl.lit(other).alias("post_id"), pl.lit(99).cast(pl.Int64).alias("position"))
    world.corpus["sentences"] = pl.concat([world.corpus["sentences"], copy])


@plant("L007")
def tune_post_that_is_scored(world: World) -> None:
    folds = dict(world.corpus["folds"].iter_rows())
    rows = world.predictions["tune"]
    swap = pl.col("post_id").replace_strict(folds, return_dtype=pl.Int64)
    first = rows["post_id"] == rows["post_id"][0]
    moved = pl.when(first).then(swap.cast(pl.Int32)).otherwise("fold").alias("fold")
    world.predictions["tune"] = rows.with_columns(moved).unique([*QUERY, "fold"], maintain_order=True)


@plant("L007")
def tune_is_a_part_of_eval(world: World) -> None:
    rows = world.predictions["decisions"].select(*QUERY, "prob")
    world.predictions["tune"] = rows.head(40)


def with_roles(world: World) -> pl.DataFrame:
    """Decisions with the rows of every role of every fold."""
    queries = queries_of(world.corpus).select(*QUERY, "fold")
    own = world.predictions["decisions"].join(queries, on=QUERY, maintain_order="left")
    own = own.with_columns(pl.lit("EVAL").alias("role"))
    tune = world.predictions.pop("tune")
    taus = own.select("fold", "tau_neg", "tau_pos").unique()
    tune = tune.with_columns(pl.col("fold").cast(pl.Int64), pl.lit("TUNE").alias("role"))
    tuned = tune.join(taus, on="fold", maintain_order="left")
    return pl.concat([own, tuned.select(own.columns)])


@plant("L008")
def inner_split_by_query(world: World) -> None:
    rows = with_roles(world)
    split = pl.when((pl.col("role") == "TUNE") & (pl.col("criterion_id") == "A"))
    roles = split.then(pl.lit("TRAIN")).otherwise("role").alias("role")
    world.predictions["decisions"] = rows.with_columns(roles)


@plant("L009")
def train_post_that_is_scored(world: World) -> None:
    rows = with_roles(world)
    copies = rows.filter(pl.col("role") == "EVAL").head(4).with_columns(pl.lit("TRAIN").alias("role"))
    world.predictions["decisions"] = pl.concat([rows, copies])


def give_prob(world: World, prob: pl.Expr, where: pl.Expr | None = None) -> None:
    rows = decided(world)
    where = pl.lit(True) if where is None else where
    rows = rows.with_columns(pl.when(where).then(prob).otherwise("prob").alias("prob"))
    world.predictions["decisions"] = rows.select(world.predictions["decisions"].columns)


@plant("L010")
def prob_is_the_label(world: World) -> None:
    give_prob(world, pl.col("yes").cast(pl.Float64))


@plant("L010")
def prob_is_the_label_with_noise(world: World) -> None:
    give_prob(world, 0.6 * pl.col("yes").cast(pl.Float64) + 0.3 * pl.col("prob"))


@plant("L010")
def prob_is_the_label_in_one_fold(world: World) -> None:
    give_prob(world, pl.col("yes").cast(pl.Float64), pl.col("fold") == 1)


@plant("L010")
def prob_counts_the_gold(world: World) -> None:
    values = {0: 0.31, 1: 0.17, 2: 0.83}
    give_prob(world, pl.col("gold").replace_strict(values, return_dtype=pl.Float64))


def with_gold(world: World) -> pl.DataFrame:
    marked = world.corpus["gold"].with_columns(pl.lit(1.0).alias("hit"))
    rows = world.predictions["candidates"].join(
        marked, on=[*QUERY, "sent_uid"], how="left", maintain_order="left"
    )
    rows = rows.with_columns(pl.col("hit").fill_null(0.0))
    return rows.join(queries_of(world.corpus), on=QUERY, how="left", maintain_order="left")


def give_candidates(world: World, rows: pl.DataFrame) -> None:
    world.predictions["candidates"] = rows.select(*QUERY, "sent_uid", "score")


@plant("L011")
def score_has_the_gold_in_it(world: World) -> None:
    give_candidates(world, with_gold(world).with_columns(pl.col("score") + 9 * pl.col("hit")))


@plant("L011")
def score_has_the_gold_of_one_fold_in_it(world: World) -> None:
    hit = pl.when(pl.col("fold") == 2).then("hit").otherwise(0.0)
    give_candidates(world, with_gold(world).with_columns(pl.col("score") + 9 * hit))


@plant("L012")
def fewer_candidates_without_evidence(world: World) -> None:
    rows = with_gold(world)
    place = pl.col("score").rank("ordinal", descending=True).over(QUERY)
    give_candidates(world, rows.filter((pl.col("gold") > 0) | (place <= 3)))


@plant("L012")
def no_candidates_without_evidence(world: World) -> None:
    give_candidates(world, with_gold(world).filter(pl.col("gold") > 0))


def lost_gold(world: World) -> pl.DataFrame:
    """Gold that a weak retriever cut off, with a score below all of its candidates."""
    world.predictions = clean_world(SEED, signal=0.2).predictions
    on = [*QUERY, "sent_uid"]
    lost = world.corpus["gold"].join(world.predictions["candidates"], on=on, how="anti")
    low = world.predictions["candidates"].group_by(QUERY).agg(pl.col("score").min() - 0.1)
    return lost.join(low, on=QUERY).select(*on, "score")


@plant("L013")
def gold_added_to_the_lists(world: World) -> None:
    add = lost_gold(world)
    world.predictions["candidates"] = pl.concat([world.predictions["candidates"], add])


@plant("L014")
def gold_put_in_the_place_of_the_last(world: World) -> None:
    add = lost_gold(world)
    rows = world.predictions["candidates"]
    hits = world.corpus["gold"].select(*QUERY, "sent_uid")
    others = rows.join(hits, on=[*QUERY, "sent_uid"], how="anti")
    many = add.group_by(QUERY).len()
    last = pl.col("score").rank("ordinal").over(QUERY)
    out = others.join(many, on=QUERY).filter(last <= pl.col("len")).select(*QUERY, "sent_uid")
    kept = rows.join(out, on=[*QUERY, "sent_uid"], how="anti", maintain_order="left")
    world.predictions["candidates"] = pl.concat([kept, add])


@plant("L015")
def gold_first_among_ties(world: World) -> None:
    rows = with_gold(world).sort("hit", descending=True, maintain_order=True)
    give_candidates(world, rows.with_columns(pl.lit(0.5).alias("score")))


def give_taus(world: World, name: str, rule: Callable[[pl.DataFrame], float]) -> None:
    """A threshold for each fold, chosen on the EVAL queries of the fold."""
    rows = decided(world)
    values = {fold: rule(part) for (fold,), part in rows.group_by("fold")}
    tau = pl.col("fold").replace_strict(values, return_dtype=pl.Float64).alias(name)
    rows = rows.with_columns(tau)
    low = pl.min_horizontal("tau_neg", "tau_pos").alias("tau_neg")
    high = pl.max_horizontal("tau_neg", "tau_pos").alias("tau_pos")
    world.predictions["decisions"] = rows.with_columns(low, high).select(*QUERY, "prob", "tau_neg", "tau_pos")


@plant("L017")
def tau_neg_is_the_lowest_positive_of_eval(world: World) -> None:
    give_taus(world, "tau_neg", lambda part: float(part.filter("yes")["prob"].to_numpy().min()))


@plant("L017")
def tau_neg_is_a_quantile_of_eval(world: World) -> None:
    give_taus(world, "tau_neg", lambda part: float(np.quantile(part.filter("yes")["prob"], 0.1)))


@plant("L017")
def tau_pos_is_the_best_f1_of_eval_and_there_is_no_tune(world: World) -> None:
    del world.predictions["tune"]
    give_taus(world, "tau_pos", lambda part: assay.choose_threshold(part["prob"], part["yes"], "f1").value)


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_leak_is_found(name: str, tmp_path: Path) -> None:
    code, change = PLANTS[name]
    world = clean_world(SEED)
    change(world)
    report = world.audit(tmp_path)
    assert code in [each.code for each in report.leaks]
    seen = report[code].seen
    assert seen.why
    assert seen.looked_at
    assert seen.examples
    others = {each.code for each in report.leaks} - {code}
    assert len(others) <= 2, others  # it is called by its name


@pytest.mark.parametrize("name", ["nearly_the_same_post_in_two_folds", "prob_is_the_label"])
def test_tables_in_memory_are_audited_as_files_are(name: str, tmp_path: Path) -> None:
    world = clean_world(SEED)
    PLANTS[name][1](world)
    made = assay.Corpus.of(**world.corpus)
    report = assay.audit(made, assay.Predictions.of(**world.predictions))
    assert report.to_dict()["findings"] == world.audit(tmp_path).to_dict()["findings"]


# What a bundle may have that assay would not have written.


def forge(bundle: Path, **changed: Callable[[pl.DataFrame], pl.DataFrame] | None) -> Path:
    """Change tables of a bundle (None: remove them), and its manifest to fit."""
    manifest = json.loads((bundle / "MANIFEST.json").read_text())
    for name, change in changed.items():
        path = bundle / f"{name}.csv"
        if change is None:
            path.unlink()
            del manifest["files"][path.name]
            continue
        change(pl.read_csv(path, infer_schema_length=None)).write_csv(path)
        manifest["files"][path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    (bundle / "MANIFEST.json").write_text(json.dumps(manifest))
    return bundle


def leaks(bundle: Path) -> list[str]:
    return [each.code for each in assay.audit(bundle).leaks]


def chosen_on_eval(rows: pl.DataFrame) -> pl.DataFrame:
    values = {
        fold: assay.choose_threshold(part["prob"], part["has_evidence"], "fpr_0.05").value
        for (fold,), part in rows.group_by("fold")
    }
    tau = pl.col("fold").replace_strict(values, return_dtype=pl.Float64)
    return rows.with_columns(tau.alias("threshold_fpr_0.05"))


def test_a_bundle_whose_thresholds_eval_chose(tmp_path: Path) -> None:
    bundle = forge(clean_bundle(SEED, tmp_path), per_query=chosen_on_eval)
    assert leaks(bundle) == ["L017", "L018"]
    answers = {item.number: item.answer for item in assay.audit(bundle).checklist}
    assert answers[2] == "no"


def test_a_bundle_whose_thresholds_nobody_chose(tmp_path: Path) -> None:
    bundle = forge(
        clean_bundle(SEED, tmp_path),
        per_query=lambda rows: rows.with_columns(pl.lit(0.4375).alias("threshold_f1")),
    )
    assert leaks(bundle) == ["L018"]


def test_a_bundle_without_its_tune_table(tmp_path: Path) -> None:
    assert "L016" in leaks(forge(clean_bundle(SEED, tmp_path), tune=None))


def test_a_bundle_whose_tune_is_eval(tmp_path: Path) -> None:
    bundle = clean_bundle(SEED, tmp_path)
    own = pl.read_csv(bundle / "per_query.csv", infer_schema_length=None)
    label = pl.col("has_evidence").alias("label")
    forge(bundle, tune=lambda _: own.select("post_id", "fold", "prob", label))
    assert {"L007", "L018"} <= set(leaks(bundle))


def test_a_bundle_with_a_post_in_two_folds(tmp_path: Path) -> None:
    def moved(rows: pl.DataFrame) -> pl.DataFrame:
        first = pl.int_range(pl.len()) == 0
        fold = pl.when(first).then((pl.col("fold") + 1) % 3).otherwise("fold")
        return rows.with_columns(fold.alias("fold"))

    assert "L001" in leaks(forge(clean_bundle(SEED, tmp_path), per_query=moved))


def test_a_bundle_with_a_query_twice(tmp_path: Path) -> None:
    bundle = clean_bundle(SEED, tmp_path)
    forge(bundle, per_query=lambda rows: pl.concat([rows, rows.head(1)]))
    assert "L002" in leaks(bundle)


def test_a_bundle_that_was_changed_is_refused(tmp_path: Path) -> None:
    bundle = clean_bundle(SEED, tmp_path)
    with (bundle / "per_query.csv").open("a") as file:
        file.write("\n")
    with pytest.raises(assay.InputError, match="was changed"):
        assay.audit(bundle)


# What the readers refuse, so that no figure can be made with it.


def repeat_fold(world: World) -> None:
    rows = world.corpus["folds"]
    other = rows.head(1).with_columns((pl.col("fold") + 1) % 3)
    world.corpus["folds"] = pl.concat([rows, other])


def repeat_query(world: World) -> None:
    rows = queries_of(world.corpus).select(QUERY)
    world.corpus["queries"] = pl.concat([rows, rows.head(1)])


def foreign_gold(world: World) -> None:
    rows = world.corpus["gold"]
    post = rows["post_id"][0]
    other = rows.filter(pl.col("post_id") != post).head(1)
    moved = other.with_columns(pl.lit(post).alias("post_id"))
    world.corpus["gold"] = pl.concat([rows, moved])


def repeat_decision(world: World) -> None:
    rows = world.predictions["decisions"]
    world.predictions["decisions"] = pl.concat([rows, rows.head(1)])


def foreign_candidate(world: World) -> None:
    rows = world.predictions["candidates"]
    other = rows.filter(pl.col("post_id") != rows["post_id"][0]).head(1)
    moved = other.with_columns(pl.lit(rows["post_id"][0]).alias("post_id"))
    world.predictions["candidates"] = pl.concat([rows, moved])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (repeat_fold, "folds.csv .* is already listed"),
        (repeat_query, "queries.csv .* is already listed"),
        (foreign_gold, "gold.csv .* is a sentence of post"),
        (repeat_decision, "decisions.csv .* is already listed"),
        (foreign_candidate, "candidates.csv .* is a sentence of post"),
    ],
)
def test_refused_by_construction(change: Callable[[World], None], words: str, tmp_path: Path) -> None:
    world = clean_world(SEED)
    change(world)
    with pytest.raises(assay.InputError, match=words):
        world.audit(tmp_path)


def test_every_table_check_has_a_plant() -> None:
    planted = {code for code, _ in PLANTS.values()} | {"L016", "L018"}  # in forged bundles
    planted |= {case[2] for case in CASES}
    refused = {"L005"}
    assert planted | refused == {each.code for each in CHECKS if each.look is not None}
