"""Leaks that somebody tried to hide: found, flagged, or beyond what tables can show."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tests.verification.audit.leaks import PLANTS, base, facts_of, look, planted, systems, worlds

pytestmark = pytest.mark.full

# title, strength (0: plain), code, verdict
CASES = [
    ("copy with words changed in each sentence", 0, "L019", "found"),
    ("copy with words changed in each sentence", 1, "L019", "found"),
    ("copy with words changed in each sentence", 2, "L019", "flagged"),
    ("copy with words dropped from each sentence", 1, "L019", "found"),
    ("copy with words swapped inside each sentence", 1, "L019", "found"),
    ("copy with zero-width characters", 0, "L003", "found"),
    ("copy with zero-width characters", 2, "L003", "found"),
    ("copy with letters of another script", 0, "L003", "found"),
    ("copy with letters of another script", 2, "L003", "found"),
    ("copy in another notation", 1, "L003", "found"),
    ("copy in another notation", 2, "L003", "found"),
    ("copy with its sentences in another order", 2, "L019", "found"),
    ("part of a post copied into another", 0, "L019", "found"),
    ("part of a post copied into another", 2, "L019", "clean"),
    ("copy among the sentences of a longer post", 2, "L019", "found"),
    ("paraphrase", 2, "L019", "clean"),
    ("copy inside one fold", 0, "L020", "flagged"),
    ("copy inside one fold", 1, "L020", "flagged"),
    ("copy inside one fold", 0, "L019", "clean"),
    ("probability = label, some flipped", 0, "L021", "found"),
    ("probability = label, some flipped", 2, "L021", "clean"),
    ("probability = label, some flipped", 2, "L023", "flagged"),
    ("probability = label + normal noise", 0, "L010", "found"),
    ("probability = label + normal noise", 2, "L023", "flagged"),
    ("probability = label in one fold, some flipped", 1, "L027", "flagged"),
    ("gold scored first, some lists reversed", 1, "L022", "found"),
    ("gold scored first, some lists reversed", 2, "L022", "found"),
    ("gold scored first, some lists honest", 0, "L022", "flagged"),
    ("gold scored higher", 2, "L022", "clean"),
    ("gold first among tied candidates, some groups random", 0, "L015", "found"),
    ("rows with gold first under honest scores, some lists random", 0, "L024", "found"),
    ("rows with gold first under honest scores, some lists random", 1, "L024", "found"),
    ("sentences listed with gold first, some posts random", 1, "L025", "found"),
    ("positions with gold first, some posts random", 1, "L025", "flagged"),
    ("sentence ids numbered with gold first, some posts random", 1, "L025", "found"),
    ("EVAL's best F1, multiplied", 0, "L017", "found"),
    ("EVAL's best F1, multiplied", 0, "L026", "clean"),  # L017 has said it
    ("EVAL's best F1, multiplied", 1, "L026", "found"),
    ("TUNE shifted until its rule chooses what EVAL would", 0, "L026", "found"),
    ("TUNE made of labels", 1, "L023", "flagged"),
    ("selected K = number of gold sentences, some random", 0, "L028", "found"),
    ("selected K = number of gold sentences, some random", 1, "L028", "found"),
    ("selected K = number of gold sentences, some random", 2, "L028", "clean"),
    ("selected K = number of gold sentences where the gate passes, some random", 0, "L028", "found"),
    ("state = label, some flipped", 0, "L028", "found"),
    ("state = label, some flipped", 2, "L028", "clean"),
]


@pytest.mark.parametrize(("title", "strength", "code", "verdict"), CASES)
def test_a_disguised_leak(title: str, strength: int, code: str, verdict: str) -> None:
    seen = look(code, facts_of(planted(title, strength)))
    assert seen.verdict == verdict
    assert bool(seen.examples) == (verdict in ("found", "flagged"))


@pytest.mark.parametrize("code", sorted({case[2] for case in CASES}))
def test_nothing_is_seen_before_it_is_planted(code: str) -> None:
    assert look(code, facts_of(base())).verdict in ("clean", "not applicable")


def test_every_new_check_has_a_plant() -> None:
    assert {f"L{at:03d}" for at in range(19, 29)} <= {case[2] for case in CASES}


def test_thirty_kinds_at_three_strengths() -> None:
    assert len(PLANTS) + len(systems.CHEATS) >= 30
    assert {len(plant.strengths) for plant in PLANTS} == {3} == {len(systems.SHARES)}


@pytest.mark.parametrize("number", range(0, 200, 10))
def test_clean_folders_of_many_kinds(number: int) -> None:
    report = worlds.clean(number).audit()
    assert report.leaks == ()
    assert report.flags == ()


def test_the_clean_folders_differ() -> None:
    kinds = [worlds.kind_of(number) for number in range(200)]
    for name in worlds.Kind.__dataclass_fields__:
        assert len({getattr(kind, name) for kind in kinds}) > 1, name
    assert any(kind.gate > 4 and kind.posts == 400 for kind in kinds)


def test_a_sentence_that_many_say_is_no_copy() -> None:
    """Two posts of nothing but phrases that a third of all posts use."""
    world = base().copy()
    rows = world.corpus["sentences"]
    phrases = [
        "i do not know what to do any more",
        "does anyone else have this problem too",
        "my doctor gave me these pills and they did not help",
    ]
    draws = np.random.default_rng(0)
    spoken = [str(draws.choice(phrases)) if draws.random() < 0.3 else text for text in rows["text"]]
    rows = rows.with_columns(pl.Series("text", spoken))
    same = pl.col("post_id").is_in(rows["post_id"].unique().sort().head(2))
    at = pl.int_range(pl.len()).over("post_id") % 3
    said = at.replace_strict(dict(enumerate(phrases)))
    world.corpus["sentences"] = rows.with_columns(pl.when(same).then(said).otherwise("text").alias("text"))
    facts = facts_of(world)
    assert look("L019", facts).verdict == "clean"
    assert look("L020", facts).verdict == "clean"


def test_few_positives_above_all_others_are_no_leak() -> None:
    """12 of 400 queries have evidence: an honest AUROC of 0.998 makes no error every fourth time."""
    for seed in range(40):
        world = worlds.drawn(
            worlds.Kind(
                criteria=1, rate=0.025, gate=4.1, hard=0.0, folds=1, tune="none", taus="none", seed=seed
            )
        )
        seen = look("L010", facts_of(world))
        assert seen.verdict != "found"
        if seen.verdict == "not applicable":
            return
    pytest.fail("no draw separates the classes, so nothing was tested")


def test_one_perfect_list_beside_a_wrong_one_is_no_leak() -> None:
    """The only list of another fold is wrong: that says little about how often lists are."""
    world = worlds.clean(29)
    assert look("L011", facts_of(world)).verdict != "found"


def test_one_question_to_two_posts_is_not_asked_twice() -> None:
    world = base().copy()
    both = world.corpus["criteria"].with_columns(pl.lit("the same question").alias("text")).head(2)
    posts = world.corpus["folds"]["post_id"].to_list()
    queries = pl.DataFrame({"post_id": posts, "criterion_id": [f"c{at % 2}" for at in range(len(posts))]})
    on = ["post_id", "criterion_id"]
    world.corpus |= {"criteria": both, "queries": queries}
    world.corpus["gold"] = world.corpus["gold"].join(queries, on=on, how="semi")
    world.predictions = {"candidates": world.predictions["candidates"].join(queries, on=on, how="semi")}
    assert look("L002", facts_of(world)).verdict == "clean"
    again = pl.DataFrame({"post_id": posts[:1], "criterion_id": ["c1"]})
    world.corpus["queries"] = pl.concat([queries, again])
    assert look("L002", facts_of(world)).verdict == "found"
