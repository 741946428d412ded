"""TUNE through the command line: a table next to the predictions, a file, roles."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Ran, World, csv_bytes

Row = dict[str, Any]


def tune_rows(world: World, posts: tuple[str, ...]) -> list[Row]:
    """A probability for both criteria of these posts."""
    return [
        {"post_id": post, "criterion_id": criterion, "prob": 0.2 + 0.1 * at}
        for at, (post, criterion) in enumerate((p, c) for p in posts for c in ("A.1", "A.2"))
    ]


def without(world: World, post: str) -> None:
    """The system says nothing about a post: it is TUNE."""
    for name in ("candidates", "decisions"):
        world.predictions[name] = [row for row in world.table(name) if row["post_id"] != post]


def posts(world: World) -> list[str]:
    return list(dict.fromkeys(str(row["post_id"]) for row in world.table("sentences")))


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".csv.gz"])
def test_a_table_beside_the_predictions(world: World, ending: str) -> None:
    post = posts(world)[-1]
    without(world, post)
    world.predictions["tune"] = tune_rows(world, (post,))
    result = json.loads(world.evaluate("--json", ending=ending).ok().out)
    assert result["counts"]["aside"] == 2
    assert {each["rule"] for each in result["thresholds"]} >= {"fpr_0.05", "f1"}
    assert [each["rule"] for each in result["thresholds"] if each["deployment"]] == ["fpr_0.05"]
    assert "tune/sensitivity" not in result["absent"]
    text = world.evaluate(ending=ending).ok().out
    assert "Thresholds chosen on TUNE" in text
    assert "2 queries were not scored: their posts are TRAIN or TUNE" in text


def test_a_file_and_rows_of_a_role_give_the_same(world: World, tmp_path: Path) -> None:
    post = posts(world)[-1]
    without(world, post)
    rows = tune_rows(world, (post,))
    file = tmp_path / "thresholds.csv"
    file.write_bytes(csv_bytes(rows))
    from_file = json.loads(world.evaluate("--json", "--tune", str(file)).ok().out)
    table = [{**row, "role": "EVAL"} for row in world.table("decisions")]
    blank = dict.fromkeys(table[0], "")
    known = {"selected_k": 0, "state": "NEG", "tau_neg": 0.2, "tau_pos": 0.7}
    world.predictions["decisions"] = [*table, *({**blank, **known, **row, "role": "TUNE"} for row in rows)]
    from_roles = json.loads(world.evaluate("--json").ok().out)
    assert from_file["thresholds"] == from_roles["thresholds"]
    assert from_file["measures"] == from_roles["measures"]


def test_tune_posts_that_were_answered_overlap(world: World) -> None:
    world.predictions["tune"] = tune_rows(world, (posts(world)[0],))
    world.refused(("TUNE", "is TUNE and EVAL at once", "must not meet the posts that chose it"))


def test_faults_of_tune_are_said_with_the_others(world: World) -> None:
    first = posts(world)[0]
    world.predictions["tune"] = [
        {"post_id": first, "criterion_id": "A.1", "prob": 1.5},
        {"post_id": first, "criterion_id": "A.1", "prob": "high"},
        {"post_id": "", "criterion_id": "A.2", "prob": 0.5},
    ]
    world.put("decisions", 2, prob=-1)
    world.refused(
        ("decisions.csv row 2", "prob is -1"),
        ("tune.csv row 2", "prob is 1.5", "[0, 1]"),
        ("tune.csv row 3", "is already listed"),
        ("tune.csv row 3", "prob is high"),
        ("tune.csv row 4", "post_id is empty"),
    )


def test_an_unknown_query_in_tune(world: World) -> None:
    world.predictions["tune"] = [{"post_id": "nobody", "criterion_id": "A.1", "prob": 0.5}]
    world.refused(("tune.csv row 2", "is unknown", "queries must be in"))


def test_two_sources_of_tune(world: World, tmp_path: Path) -> None:
    post = posts(world)[-1]
    without(world, post)
    world.predictions["tune"] = tune_rows(world, (post,))
    file = tmp_path / "more.csv"
    file.write_bytes(csv_bytes(tune_rows(world, (post,))))
    world.evaluate("--tune", str(file)).refused(("more.csv", "is a second table of TUNE queries"))


def test_a_run_has_no_thresholds(call: Callable[..., Ran], tmp_path: Path) -> None:
    for name, text in (("q.txt", "q 0 d 1\n"), ("r.txt", "q Q0 d 1 0.5 x\n"), ("t.csv", "a\n1\n")):
        (tmp_path / name).write_text(text)
    ran = call(
        "evaluate", "--qrels", tmp_path / "q.txt", "--run", tmp_path / "r.txt", "--tune", tmp_path / "t.csv"
    )
    ran.refused(("--tune", "a run has no probabilities"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("label,prob\n1,0.5\n", ()),
        ("label,prob\n1,1.5\n", ("tune.csv row 2", "prob is 1.5")),
        ("label,prob\n2,0.5\n", ("tune.csv row 2", "label is 2", "expected 0 or 1")),
        ("y,prob\n1,0.5\n", ("tune.csv", "no column 'label'")),
        ("", ("tune.csv", "is empty")),
    ],
)
def test_plain_tables(call: Callable[..., Ran], tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    (tmp_path / "eval.csv").write_text("label,prob\n1,0.9\n0,0.2\n1,0.4\n")
    (tmp_path / "tune.csv").write_text(text)
    ran = call("evaluate", "--decisions", tmp_path / "eval.csv", "--tune", tmp_path / "tune.csv")
    if words:
        ran.refused(words)
    else:
        assert "tune/sensitivity" in ran.ok().out
