"""Bad input of the folder form: every fault, with file, row, value and what was expected."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Ran, World

Change = Callable[["World"], None]


def put(name: str, row: int, **values: object) -> Change:
    return lambda world: world.put(name, row, **values)


def add(name: str, **values: object) -> Change:
    return lambda world: world.add(name, **values)


def rename(name: str, old: str, new: str) -> Change:
    return lambda world: world.rename(name, old, new)


def fold_table(text: str) -> Change:
    def change(world: World) -> None:
        pairs = [pair.split() for pair in text.split("|")]
        world.corpus["folds"] = [{"post_id": post, "fold": fold} for post, fold in pairs]

    return change


def query_table(text: str) -> Change:
    def change(world: World) -> None:
        pairs = [pair.split() for pair in text.split("|")]
        world.corpus["queries"] = [{"post_id": post, "criterion_id": name} for post, name in pairs]

    return change


FOREIGN = {"post_id": "p2", "criterion_id": "A.1", "sent_uid": "p1s1"}
CANDIDATE_AGAIN = {"post_id": "p1", "criterion_id": "A.1", "sent_uid": "p1s4", "score": 0.05}
GOLD_AGAIN = {"post_id": "p1", "criterion_id": "A.1", "sent_uid": "p1s3"}
SHORT_FOLDS = "p1 0|p2 1|p4 2"
TWICE = "p1 0|p2 1|p3 1|p4 2|p1 2"

# Row 1 of a CSV file is its header; in Parquet the first row is 1, so its rows are one less.
CASES: dict[str, tuple[Change, str, int, tuple[str, ...]]] = {
    "nan": (put("candidates", 4, score="nan"), "candidates", 4, ("score is nan", "finite")),
    "NaN": (put("candidates", 4, score="NaN"), "candidates", 4, ("score is NaN", "finite")),
    "inf": (put("candidates", 5, score="inf"), "candidates", 5, ("score is inf", "finite")),
    "-inf": (put("candidates", 5, score="-inf"), "candidates", 5, ("score is -inf", "finite")),
    "overflow": (put("candidates", 5, score="1e999"), "candidates", 5, ("1e999", "finite")),
    "text score": (put("candidates", 6, score="abc"), "candidates", 6, ("score", "abc", "number")),
    "empty score": (put("candidates", 6, score=""), "candidates", 6, ("score is empty", "number")),
    "grouped digits": (put("candidates", 6, score="1_000"), "candidates", 6, ("1_000", "number")),
    "duplicate": (
        add("candidates", **CANDIDATE_AGAIN),
        "candidates",
        17,
        ("'p1'", "'A.1'", "'p1s4'", "already", "once"),
    ),
    "candidate of another post": (
        add("candidates", **FOREIGN),
        "candidates",
        17,
        ("'p1s1'", "'p1'", "'p2'", "own post"),
    ),
    "candidate of no post": (
        put("candidates", 3, sent_uid="zz"),
        "candidates",
        3,
        ("'zz'", "no post", "own post"),
    ),
    "candidate without id": (
        put("candidates", 3, sent_uid=""),
        "candidates",
        3,
        ("sent_uid is empty", "an id"),
    ),
    "candidate of an unknown criterion": (
        put("candidates", 3, criterion_id="B.9"),
        "candidates",
        3,
        ("'p1'", "'B.9'", "unknown", "queries"),
    ),
    "candidate of an unknown post": (
        put("candidates", 3, post_id="p9"),
        "candidates",
        3,
        ("'p9'", "'A.1'", "unknown", "queries"),
    ),
    "decision on an unknown query": (
        add("decisions", post_id="p9", prob=0.8, state="POS"),
        "decisions",
        10,
        ("'p9'", "'A.2'", "unknown", "queries"),
    ),
    "two decisions": (
        add("decisions", post_id="p1", criterion_id="A.1", selected_k=0),
        "decisions",
        10,
        ("'p1'", "'A.1'", "already", "once"),
    ),
    "prob above 1": (put("decisions", 2, prob=1.25), "decisions", 2, ("prob is 1.25", "[0, 1]")),
    "prob below 0": (put("decisions", 2, prob=-0.5), "decisions", 2, ("prob is -0.5", "[0, 1]")),
    "prob nan": (put("decisions", 2, prob="nan"), "decisions", 2, ("prob is nan", "finite")),
    "prob x": (put("decisions", 3, prob="x"), "decisions", 3, ("prob is x", "number")),
    "prob empty": (put("decisions", 3, prob=""), "decisions", 3, ("prob is empty", "number")),
    "tau": (put("decisions", 4, tau_pos=2.0), "decisions", 4, ("tau_pos is 2.0", "[0, 1]")),
    "half a K": (put("decisions", 4, selected_k=1.5), "decisions", 4, ("1.5", "whole number")),
    "negative K": (put("decisions", 4, selected_k=-1), "decisions", 4, ("-1", "whole number")),
    "text K": (put("decisions", 4, selected_k="two"), "decisions", 4, ("two", "number")),
    "K above n": (put("decisions", 2, selected_k=5), "decisions", 2, ("selected_k is 5", "4")),
    "K without candidates": (put("decisions", 6, selected_k=1), "decisions", 6, ("is 1", "0")),
    "huge K": (put("decisions", 2, selected_k="1e30"), "decisions", 2, ("selected_k", "4")),
    "K of a NEG query": (put("decisions", 3, selected_k=1), "decisions", 3, ("1", "NEG")),
    "state at tau_neg": (
        put("decisions", 9, state="NEG", selected_k=0),
        "decisions",
        9,
        ("NEG", "0.2", "0.7", "UNCERTAIN"),
    ),
    "state at tau_pos": (put("decisions", 8, state="UNCERTAIN"), "decisions", 8, ("UNCERTAIN", "0.7", "POS")),
    "unknown state": (put("decisions", 5, state="MAYBE"), "decisions", 5, ("'MAYBE'", "NEG, UNCERTAIN, POS")),
    "gold of an unknown sentence": (
        put("gold", 4, sent_uid="p2s99"),
        "gold",
        4,
        ("'p2s99'", "no post", "'p2'"),
    ),
    "gold of another post": (put("gold", 4, sent_uid="p1s2"), "gold", 4, ("'p1s2'", "'p1'", "'p2'")),
    "gold of an unknown criterion": (
        put("gold", 4, criterion_id="B.9"),
        "gold",
        4,
        ("'B.9'", "unknown", "criteria"),
    ),
    "gold twice": (add("gold", **GOLD_AGAIN), "gold", 10, ("'p1s3'", "already", "once")),
    "sentence twice": (
        add("sentences", post_id="p1", sent_uid="p1s1"),
        "sentences",
        14,
        ("'p1'", "'p1s1'", "already"),
    ),
    "criterion twice": (add("criteria", criterion_id="A.1"), "criteria", 4, ("'A.1'", "already")),
    "post in two folds": (fold_table(TWICE), "folds", 6, ("'p1'", "already", "once")),
    "fold of an unknown post": (
        fold_table("p1 0|p2 1|p9 0|p3 1|p4 2"),
        "folds",
        4,
        ("'p9'", "unknown", "posts"),
    ),
    "query of an unknown post": (
        query_table("p1 A.1|p1 A.2|p2 A.1|p9 A.1|p2 A.2|p3 A.1|p3 A.2|p4 A.1|p4 A.2"),
        "queries",
        5,
        ("'p9'", "unknown", "posts"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_fault_is_refused(world: World, name: str) -> None:
    change, table, row, words = CASES[name]
    change(world)
    world.refused((f"{table}.csv row {row}:", *words))


TYPED = {
    "nan": (put("candidates", 4, score=float("nan")), "candidates", 4, ("nan", "finite")),
    "inf": (put("candidates", 4, score=float("inf")), "candidates", 4, ("inf", "finite")),
    "null": (put("candidates", 4, score=None), "candidates", 4, ("score is empty", "number")),
    "null id": (put("candidates", 4, sent_uid=None), "candidates", 4, ("sent_uid is empty", "id")),
    "null prob": (put("decisions", 4, prob=None), "decisions", 4, ("prob is empty", "number")),
    "null state": (put("decisions", 4, state=None), "decisions", 4, ("state", "POS")),
    **{
        name: CASES[name]
        for name in (
            "duplicate",
            "candidate of another post",
            "candidate of an unknown post",
            "decision on an unknown query",
            "prob above 1",
            "half a K",
            "K above n",
            "K of a NEG query",
            "state at tau_pos",
            "gold of an unknown sentence",
            "post in two folds",
        )
    },
}


@pytest.mark.parametrize("name", TYPED)
def test_a_fault_in_parquet_is_refused(world: World, name: str) -> None:
    change, table, row, words = TYPED[name]
    change(world)
    world.refused((f"{table}.parquet row {row - 1}:", *words), ending=".parquet")


def test_text_scores_in_parquet(world: World) -> None:
    for row in world.table("candidates"):
        row["score"] = str(row["score"])
    world.put("candidates", 4, score="abc")
    world.refused(("candidates.parquet row 3:", "abc", "number"), ending=".parquet")


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("candidates", "score"),
        ("candidates", "post_id"),
        ("decisions", "prob"),
        ("sentences", "sent_uid"),
        ("criteria", "criterion_id"),
        ("gold", "sent_uid"),
    ],
)
@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_a_wrong_column(world: World, table: str, column: str, ending: str) -> None:
    world.rename(table, column, "other")
    world.refused((table + ending, f"no column {column}", "other", column), ending=ending)


def test_a_column_that_stands_twice(world: World) -> None:
    del world.predictions["decisions"]
    world.raw["candidates.csv"] = b"post_id,criterion_id,sent_uid,score,score\np1,A.1,p1s1,0.1,0.9\n"
    world.refused(("candidates.csv", "score"))


@pytest.mark.parametrize("table", ["candidates", "decisions", "sentences", "criteria", "gold"])
@pytest.mark.parametrize("data", [b"", b"\n\n", b" \n"])
def test_an_empty_file(world: World, table: str, data: bytes) -> None:
    world.raw[f"{table}.csv"] = data
    world.refused((f"{table}.csv", "empty", "header"))


@pytest.mark.parametrize("table", ["candidates", "gold"])
def test_a_header_and_nothing_else(world: World, table: str) -> None:
    header = ",".join(world.table(table)[0]).encode() + b"\n"
    world.raw[f"{table}.csv"] = header
    world.refused((f"{table}.csv", "no row", "one row"))


@pytest.mark.parametrize("table", ["candidates", "sentences"])
@pytest.mark.parametrize("keep", [5, 30, -9, -1])
def test_a_truncated_gzip(world: World, table: str, keep: int) -> None:
    _, corpus = world.write(".csv.gz")
    home = corpus if table in world.corpus else corpus.parent / "system"
    data = (home / f"{table}.csv.gz").read_bytes()
    world.raw[f"{table}.csv.gz"] = data[:keep]
    world.refused((f"{table}.csv.gz", "gzip", "complete"), ending=".csv.gz")


def test_a_damaged_gzip(world: World) -> None:
    data = bytearray(gzip.compress(b"post_id,criterion_id,sent_uid,score\n" * 50))
    data[14] ^= 0xFF
    world.raw["candidates.csv.gz"] = bytes(data)
    world.refused(("candidates.csv.gz", "gzip"), ending=".csv.gz")


@pytest.mark.parametrize("keep", [0, 3, 40, -6])
def test_a_truncated_parquet(world: World, keep: int) -> None:
    predictions, _ = world.write(".parquet")
    world.raw["candidates.parquet"] = (predictions / "candidates.parquet").read_bytes()[:keep]
    world.refused(("candidates.parquet", "Parquet"), ending=".parquet")


def test_a_parquet_without_rows(world: World) -> None:
    predictions, _ = world.write(".parquet")
    path = predictions / "candidates.parquet"
    pl.read_parquet(path).clear().write_parquet(path)
    world.raw["candidates.parquet"] = path.read_bytes()
    world.refused(("candidates.parquet", "no row"), ending=".parquet")


@pytest.mark.parametrize("table", ["candidates", "decisions", "sentences", "gold"])
def test_text_that_is_not_utf8(world: World, table: str) -> None:
    predictions, corpus = world.write()
    home = corpus if table in world.corpus else predictions
    lines = (home / f"{table}.csv").read_bytes().split(b"\n")
    lines[3] = lines[3].replace(b",", b"\xe9,", 1)
    world.raw[f"{table}.csv"] = b"\n".join(lines)
    world.refused((f"{table}.csv", "4", "xe9", "UTF-8"))


def test_a_line_of_ten_megabytes(world: World) -> None:
    world.raw["candidates.csv"] = b"a" * (10 << 20)
    world.refused(("candidates.csv", "no column", "post_id, criterion_id, sent_uid, score"))


@pytest.mark.parametrize("column", ["post_id", "criterion_id", "sent_uid", "score"])
def test_a_candidate_of_ten_megabytes(world: World, column: str) -> None:
    world.put("candidates", 3, **{column: "b" * (10 << 20)})
    world.refused(("candidates.csv row 3:",))


@pytest.mark.parametrize("column", ["state", "prob", "post_id"])
def test_a_decision_of_ten_megabytes(world: World, column: str) -> None:
    world.put("decisions", 3, **{column: "b" * (10 << 20)})
    world.refused(("decisions.csv row 3:",))


def test_a_gold_sentence_of_ten_megabytes(world: World) -> None:
    world.put("gold", 3, sent_uid="b" * (10 << 20))
    world.refused(("gold.csv row 3:",))


def test_rows_of_another_width(world: World) -> None:
    world.raw["candidates.csv"] = (
        b"post_id,criterion_id,sent_uid,score\np1,A.1,p1s1,0.1\np1,A.1,p1s2\n"
        b"p1,A.1,p1s3,0.4,0.5\np2,A.1,p2s1,0.4\n"
    )
    world.refused(("candidates.csv row 3:", "3 fields", "4"), ("candidates.csv row 4:", "5 fields", "4"))


@pytest.mark.parametrize(
    "line", ['p1,p1s1,0,he said "XQZ-7141-SECRET" and left', 'p1,p1s1,0,"XQZ-7141-SECRET" he said']
)
def test_a_stray_quote_is_taken_or_explained(world: World, line: str) -> None:
    _, corpus = world.write()
    rows = (corpus / "sentences.csv").read_text().splitlines()
    rows[1] = line
    world.raw["sentences.csv"] = ("\n".join(rows) + "\n").encode()
    ran = world.evaluate()
    if ran.code == 0:  # no spreadsheet writes this, but its meaning is plain
        assert ran.err == ""
    else:
        ran.refused(("sentences.csv row 2:",))
        assert world.secret not in ran.err


def test_a_quote_that_is_never_closed(world: World) -> None:
    _, corpus = world.write()
    rows = (corpus / "sentences.csv").read_text().splitlines()
    rows[2] = f'p1,p1s2,1,"{world.secret} and so on'
    world.raw["sentences.csv"] = ("\n".join(rows) + "\n").encode()
    world.refused(("sentences.csv row 3:",))


def test_three_bad_rows_are_three_faults(world: World) -> None:
    world.put("candidates", 2, score="nan")
    world.put("candidates", 7, score="abc")
    world.put("candidates", 16, score="inf")
    world.refused(
        ("candidates.csv row 2:", "nan"), ("candidates.csv row 7:", "abc"), ("candidates.csv row 16:", "inf")
    )


def test_three_bad_rows_of_gold(world: World) -> None:
    world.put("gold", 2, sent_uid="zz")
    world.put("gold", 4, criterion_id="B.9")
    world.add("gold", post_id="p4", criterion_id="A.1", sent_uid="p4s2")
    world.refused(("gold.csv row 2:", "zz"), ("gold.csv row 4:", "B.9"), ("gold.csv row 10:",))


def test_all_kinds_of_faults_of_candidates_at_once(world: World) -> None:
    world.put("candidates", 2, score="nan")
    world.put("candidates", 3, sent_uid="p2s1")
    world.put("candidates", 6, criterion_id="B.9")
    world.add("candidates", post_id="p4", criterion_id="A.2", sent_uid="p4s3")
    world.refused(
        ("candidates.csv row 2:", "nan"),
        ("candidates.csv row 3:", "'p2s1'"),
        ("candidates.csv row 6:", "'B.9'"),
        ("candidates.csv row 17:", "already"),
    )


def test_unknown_queries_do_not_hide_foreign_sentences(world: World) -> None:
    world.put("candidates", 3, sent_uid="p2s1")
    world.put("candidates", 6, criterion_id="B.9")
    world.refused(("candidates.csv row 3:", "'p2s1'"), ("candidates.csv row 6:", "'B.9'"))


def test_all_kinds_of_faults_of_decisions_at_once(world: World) -> None:
    world.put("decisions", 2, selected_k=9)
    world.put("decisions", 3, selected_k=1)
    world.put("decisions", 4, prob="x")
    world.put("decisions", 8, state="UNCERTAIN")
    world.add("decisions", post_id="p9", prob=0.5)
    world.refused(
        ("decisions.csv row 2:", "9"),
        ("decisions.csv row 3:", "NEG"),
        ("decisions.csv row 4:", "x"),
        ("decisions.csv row 8:", "POS"),
        ("decisions.csv row 10:", "'p9'"),
    )


def test_faults_of_two_files(world: World) -> None:
    world.put("candidates", 2, score="nan")
    world.put("decisions", 4, prob=2)
    world.refused(("candidates.csv row 2:", "nan"), ("decisions.csv row 4:", "2", "[0, 1]"))


def test_many_faults_are_counted(world: World) -> None:
    for post in ("p1", "p2", "p3", "p4"):
        for at in range(30):
            world.add("gold", post_id=post, criterion_id="A.1", sent_uid=f"none{at}")
    ran = world.evaluate()
    assert ran.code == 2
    assert ran.out == ""
    assert "100 more" in ran.err.splitlines()[-1]
    assert len(ran.err.splitlines()) == 21


def test_a_fold_table_that_lacks_posts(world: World) -> None:
    fold_table(SHORT_FOLDS)(world)
    ran = world.evaluate("--per-query", str(world.outputs / "per_query.csv"))
    ran.refused(("folds.csv", "'p3'"))
    assert not list(world.outputs.iterdir())


def test_a_fold_table_that_lacks_two_posts_names_both(world: World) -> None:
    fold_table("p1 0|p2 1")(world)
    ran = world.evaluate()
    assert ran.code == 2
    assert all(post in ran.err for post in ("'p3'", "'p4'", "folds.csv"))


def test_gold_outside_the_query_table(world: World) -> None:
    query_table("p1 A.1|p1 A.2|p2 A.1|p3 A.1|p3 A.2|p4 A.1|p4 A.2")(world)
    world.predictions = {
        "candidates": [
            row for row in world.table("candidates") if (row["post_id"], row["criterion_id"]) != ("p2", "A.2")
        ]
    }
    world.refused(("gold.csv row 5:", "'p2'", "'A.2'", "unknown", "queries.csv"))


def test_decisions_that_lack_queries(world: World) -> None:
    del world.table("decisions")[4:6]
    world.refused(("decisions.csv", "2 queries", "'p3'", "'A.1'", "every query"))


def test_two_files_of_one_table(world: World) -> None:
    predictions, corpus = world.write()
    (predictions / "candidates.csv.gz").write_bytes(gzip.compress(b"post_id\n"))
    ran = world.call("evaluate", predictions, "--corpus", corpus)
    ran.refused(("system", "candidates.csv and candidates.csv.gz", "one file"))


@pytest.mark.parametrize("table", ["sentences", "criteria", "gold"])
def test_a_missing_table_of_the_corpus(world: World, table: str) -> None:
    del world.corpus[table]
    world.refused(("corpus", f"no table {table}", "sentences"))


def test_a_missing_table_of_the_predictions(world: World) -> None:
    del world.predictions["candidates"]
    world.refused(("system", "no table candidates", "candidates.csv"))


def test_missing_folders(world: World, call: Callable[..., Ran]) -> None:
    predictions, corpus = world.write()
    call("evaluate", predictions, "--corpus", world.folder / "nowhere").refused(
        ("nowhere", "folder not found", "sentences")
    )
    call("evaluate", world.folder / "nowhere", "--corpus", corpus).refused(
        ("nowhere", "folder not found", "candidates")
    )
    call("evaluate", corpus / "gold.csv", "--corpus", corpus).refused(
        ("gold.csv", "not a folder", "candidates")
    )


def test_a_table_that_is_a_folder(world: World) -> None:
    predictions, corpus = world.write()
    (predictions / "candidates.csv").unlink()
    (predictions / "candidates.csv").mkdir()
    world.call("evaluate", predictions, "--corpus", corpus).refused(("candidates.csv", "folder"))


def test_an_existing_output_is_left_alone(world: World) -> None:
    world.put("candidates", 4, score="nan")
    target = world.outputs / "per_query.csv"
    target.write_text("mine\n")
    ran = world.evaluate("--per-query", str(target))
    assert ran.code == 2
    assert [path.name for path in world.outputs.iterdir()] == ["per_query.csv"]
    assert target.read_text() == "mine\n"


def test_a_bad_second_system_leaves_nothing(world: World, tmp_path: Path) -> None:
    first, corpus = world.write()
    other = world.copy()
    other.folder = tmp_path / "other"
    other.put("candidates", 4, score="nan")
    second, _ = other.write()
    target = world.outputs / "per_query.csv"
    ran = world.call("evaluate", first, second, "--corpus", corpus, "--per-query", target)
    ran.refused(("candidates.csv row 4:", "nan"))
    assert not list(world.outputs.iterdir())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nan", ("candidates.csv row 4:", "nan")),
        ("gold of an unknown sentence", ("gold.csv row 4:", "p2s99")),
        ("state at tau_pos", ("decisions.csv row 8:", "POS")),
    ],
)
def test_in_a_process_of_its_own(
    world: World, command: Callable[..., Ran], name: str, words: tuple[str, ...]
) -> None:
    CASES[name][0](world)
    predictions, corpus = world.write()
    target = world.outputs / "per_query.parquet"
    ran = command("evaluate", predictions, "--corpus", corpus, "--per-query", target, "--json")
    ran.refused(words)
    assert not list(world.outputs.iterdir())
