"""`assay compare`: good input gives every figure, systems that cannot be compared are refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import assay

if TYPE_CHECKING:
    from tests.cli.conftest import Plain, Ran, World

FAST = ("--resamples", "200")


@pytest.fixture
def pair(world: World) -> Callable[..., Ran]:
    """Two systems on one corpus: B ranks the gold of p2 A.2 first and is surer of p4 A.2."""

    def run(*options: str, change: Callable[[World], None] | None = None) -> Ran:
        first, corpus = world.write()
        shutil.copytree(first, world.folder / "A", dirs_exist_ok=True)
        other = world.copy()
        other.add("candidates", post_id="p2", criterion_id="A.2", sent_uid="p2s1", score=0.9)
        other.put("decisions", 9, prob=0.6)
        if change is not None:
            change(other)
        b, _ = other.write()
        shutil.rmtree(world.folder / "B", ignore_errors=True)
        shutil.copytree(b, world.folder / "B")
        systems = (world.folder / "A", world.folder / "B")
        return world.call("compare", *systems, "--corpus", corpus, *FAST, *options)

    return run


def found(ran: Ran) -> dict[str, Any]:
    return {each["name"]: each for each in json.loads(ran.ok().out)["differences"]}


def test_two_systems_on_a_corpus(pair: Callable[..., Ran]) -> None:
    ran = pair("--json", "-m", "recall@1", "-m", "auroc")
    made = json.loads(ran.ok().out)
    assert made["schema"] == "assay/comparison/1"
    assert made["family"] == ["recall@1", "auroc"]
    assert (made["queries"], made["evidence"], made["posts"], made["tests"]) == (8, 6, 4, 2)
    recall, area = (found(ran)[name] for name in ("recall@1", "auroc"))
    # hits at 1 over R: A 0, 1, 0, 0, 1/2, 0; B has 1 on p2 A.2
    assert recall["baseline_value"] == pytest.approx(1.5 / 6)
    assert recall["system_value"] == pytest.approx(2.5 / 6)
    assert recall["relative_improvement"] == pytest.approx(1 / 1.5)
    assert recall["outcomes"] == {"wins": 1, "ties": 5, "losses": 0}
    assert recall["absent"] == {"folds": "there are no folds", "delong": "it is a test of auroc"}
    test = recall["randomisation"]
    assert test["p"] == (1 + test["extreme"]) / 201
    # A: .8 .9 .3 .4 .7 .2 against .1 .6: 6 + 3 of 12; B: .6 for .2, a tie: 6 + 3.5
    assert area["baseline_value"] == pytest.approx(9 / 12)
    assert area["system_value"] == pytest.approx(9.5 / 12)
    assert area["outcomes"] is None
    assert "mean over queries" in area["absent"]["outcomes"]


def test_the_table_names_the_family_and_how_it_was_tested(pair: Callable[..., Ran]) -> None:
    out = " ".join(pair().ok().out.split())  # lines break at words
    family = "ndcg@10, recall@10, precision@10, hit@10, map@10, mrr@10, auroc, auprc, brier"
    assert f"adjusted over 10 tests (10 measures × 1 pair): {family}, evidence_recall" in out
    assert "B minus A" in out
    assert "p Holm" in out
    assert "200 resamples of posts" in out
    assert "randomisation test, 200 swaps of posts. Seed 0." in out
    assert "A: 1 query was not answered." in out
    assert "p BH" in pair("--correction", "bh").ok().out


def test_folds_give_a_corrected_t(world: World, pair: Callable[..., Ran]) -> None:
    world.corpus["folds"] = [{"post_id": f"p{at}", "fold": at % 2} for at in (1, 2, 3, 4)]
    ran = pair("-m", "recall@1", "--json")
    recall = found(ran)["recall@1"]
    assert recall["aggregate"] == "fold_mean"
    # fold 1 (p1, p3): no change; fold 0 (p2, p4): 1.5/4 → 2.5/4; d = (0, .25), ratio 1
    assert recall["folds"]["df"] == 1
    assert recall["folds"]["test_to_train"] == 1.0
    assert recall["folds"]["t"] == pytest.approx(0.125 / ((0.5 + 1) * 0.03125) ** 0.5)
    assert "t over folds (df 1)" in pair("-m", "recall@1").ok().out


def test_a_system_against_itself(pair: Callable[..., Ran], world: World) -> None:
    pair()
    a, corpus = world.folder / "A", world.folder / "csv" / "corpus"
    copy = world.folder / "copy"
    shutil.copytree(a, copy)
    for other, name in ((copy, "copy"), (a, "A#2")):
        made = json.loads(world.call("compare", a, other, "--corpus", corpus, *FAST, "--json").ok().out)
        assert [each["system"] for each in made["systems"]] == ["A", name]
        assert len(made["differences"]) == 10
        for each in made["differences"]:
            assert each["difference"] == 0
            assert (each["interval"]["low"], each["interval"]["high"]) == (0, 0)
            assert each["randomisation"]["p"] == each["randomisation"]["holm"] == 1
            assert each["delong"] is None


def test_three_systems(pair: Callable[..., Ran], world: World) -> None:
    pair()
    shutil.copytree(world.folder / "A", world.folder / "C")
    call = (
        "compare",
        *(world.folder / name for name in "ABC"),
        "--corpus",
        world.folder / "csv" / "corpus",
        *FAST,
        "-m",
        "recall@1",
        "--json",
    )

    def pairs(*options: str) -> list[tuple[str, str]]:
        made = json.loads(world.call(*call, *options).ok().out)
        assert made["tests"] == len(made["differences"]) == len(made["pairs"])
        return [(each["baseline"], each["system"]) for each in made["pairs"]]

    assert pairs() == [("A", "B"), ("A", "C")]
    assert pairs("--baseline", "B") == [("B", "A"), ("B", "C")]
    assert pairs("--all-pairs") == [("A", "B"), ("A", "C"), ("B", "C")]
    world.call(*call, "--all-pairs", "--baseline", "B").refused(("--baseline", "no effect with --all-pairs"))
    world.call(*call, "--baseline", "D").refused(("--baseline", "'D'", "first or one of A, B, C"))


def test_a_measure_that_one_system_lacks_is_absent(pair: Callable[..., Ran]) -> None:
    def without(world: World) -> None:
        del world.predictions["decisions"]

    ran = pair("--json", change=without)
    made = json.loads(ran.ok().out)
    assert made["tests"] == 6
    assert made["absent"]["auroc"] == "the predictions have no decisions table (in a log: no confidence) (B)"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-m", "ndgc@10"), ("'ndgc'", "ndcg")),
        (("-m", "risk"), ("assay/1 has no risk", "spell it")),
        (("-m", "tune/f1"), ("no measure can be compared", "tune/f1 is absent")),
        (("--contract", "paper/9"), ("'paper/9'", "assay/1")),
        (
            ("--contract", "assay/1", "--contract", "bundle/3.0"),
            ("B", "bundle/3.0", "assay/1", "--allow-different contract"),
        ),
        (
            ("--contract", "assay/1", "--contract", "assay/1", "--contract", "assay/1"),
            ("3 contracts for 2 systems",),
        ),
        (("--resamples", "1"), ("1 resamples", "expected 2 to 100,000")),
        (("--seed", "-1"), ("seed is -1", "whole number from 0")),
        (("--correction", "magic"), ("--correction", "'magic'", "holm or bh")),
        (("--allow-different", "rain"), ("--allow-different", "'rain'", "contract, queries, gold, folds")),
        (("--k", "x"), ("--k", "'x'")),
        (("--key", "id"), ("--key", "no effect without --decisions")),
        (("--run", "x"), ("--run", "no effect without --qrels")),
        (("--split", "test"), ("--split", "no effect without --qrels")),
    ],
)
def test_options_that_are_not_usable(
    pair: Callable[..., Ran], options: tuple[str, ...], words: tuple[str, ...]
) -> None:
    ran = pair(*options)
    assert ran.code == 2
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert len(ran.err.splitlines()) == 1, ran.err
    assert all(word in ran.err for word in words), ran.err


def test_names_that_mean_the_same_under_two_contracts(pair: Callable[..., Ran]) -> None:
    ran = pair("--contract", "assay/1", "--contract", "bundle/3.0", "--allow-different", "contract", "--json")
    made = json.loads(ran.ok().out)
    assert [each["contract"] for each in made["systems"]] == ["assay/1", "bundle/3.0"]
    assert "precision@10" in made["family"]
    assert "recall@10" not in made["family"]
    assert "gold=retrieved" in made["absent"]["recall@10"]
    assert made["absent"]["brier"] == "bundle/3.0 has no such name"


@pytest.mark.parametrize("systems", [(), ("A",)])
def test_fewer_than_two_systems(pair: Callable[..., Ran], world: World, systems: tuple[str, ...]) -> None:
    pair()
    paths = [world.folder / name for name in systems]
    ran = world.call("compare", *paths, "--corpus", world.folder / "csv" / "corpus")
    ran.refused(("system was given", "--qrels FILE --run A B", "--decisions A B"))


def test_no_corpus(pair: Callable[..., Ran], world: World) -> None:
    pair()
    world.call("compare", world.folder / "A", world.folder / "B").refused(("no corpus was given",))


def test_bad_input_of_one_system(pair: Callable[..., Ran]) -> None:
    def spoiled(world: World) -> None:
        world.put("candidates", 2, score="nan")

    pair(change=spoiled).refused(("B/candidates.csv row 2", "score is nan"))


def test_folds_of_the_decisions_that_differ(pair: Callable[..., Ran], world: World) -> None:
    for row in world.predictions["decisions"]:
        row["fold"] = int(str(row["post_id"])[1]) % 2

    def shuffled(world: World) -> None:
        world.predictions["decisions"] = [
            {**row, "fold": int(str(row["post_id"])[1]) // 3} for row in world.predictions["decisions"]
        ]

    pair(change=shuffled).refused(("B: has other folds than A", "--allow-different folds"))


def test_folds_that_differ_are_ignored(pair: Callable[..., Ran], world: World) -> None:
    for row in world.predictions["decisions"]:
        row["fold"] = int(str(row["post_id"])[1]) % 2

    def without(world: World) -> None:
        for row in world.predictions["decisions"]:
            del row["fold"]

    pair(change=without).refused(("B", "has no folds, A has them"))
    recall = found(pair("--allow-different", "folds", "-m", "recall@1", "--json", change=without))["recall@1"]
    assert recall["aggregate"] == "pooled"
    assert recall["absent"]["folds"] == "there are no folds"


def trec(plain: Plain, other: bytes, *options: str, qrels: bytes | None = None) -> Ran:
    judged, run = plain.write()
    if qrels is not None:
        judged.write_bytes(qrels)
    second = plain.folder / "other.txt"
    second.write_bytes(other)
    return plain.call("compare", "--qrels", judged, "--run", run, second, *FAST, *options)


SAME = b"q1 Q0 d1 1 0.9 t\nq1 Q0 d3 2 0.8 t\nq2 Q0 d7 1 3.5 t\nq2 Q0 d1 2 2.5 t\nq3 Q0 d9 1 0.2 t\n"


def test_two_runs(plain: Plain) -> None:
    ran = trec(plain, SAME, "--contract", "trec_eval/10", "-m", "recip_rank", "-m", "map", "--json")
    reciprocal = found(ran)["recip_rank"]
    assert reciprocal["baseline_value"] == pytest.approx((1 / 2 + 1 + 1 / 2) / 3)
    assert reciprocal["system_value"] == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert reciprocal["outcomes"] == {"wins": 2, "ties": 0, "losses": 1}
    assert json.loads(ran.out)["posts"] == 3


def test_a_default_family_under_trec_eval(plain: Plain) -> None:
    made = json.loads(trec(plain, SAME, "--contract", "trec_eval/10", "--json").ok().out)
    assert {"P_10", "ndcg_cut_10", "map_cut_10", "map", "recip_rank"} <= set(made["family"])
    assert "num_q" not in made["family"]


def test_runs_that_answered_other_queries(plain: Plain) -> None:
    shorter = b"\n".join(SAME.splitlines()[:4]) + b"\n"
    options = ("--contract", "trec_eval/10", "-m", "recip_rank", "--json")
    ran = trec(plain, shorter, *options)
    ran.refused(("other.txt", "answered other queries than run.txt (1 differ)", "--complete"))
    reciprocal = found(trec(plain, shorter, *options, "--complete"))["recip_rank"]
    assert reciprocal["system_value"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    shared = found(trec(plain, shorter, *options, "--allow-different", "queries"))["recip_rank"]
    assert shared["n"] == 2
    assert shared["baseline_value"] == pytest.approx((1 / 2 + 1) / 2)
    assert shared["system_value"] == pytest.approx((1 + 1 / 2) / 2)


def test_queries_that_only_one_run_brings(plain: Plain) -> None:
    """ir/1 counts run queries without judgements as 0, so the two runs have other queries."""
    more = SAME + b"q8 Q0 d1 1 0.5 t\n"
    options = ("--contract", "ir/1", "-m", "mrr@10", "--json")
    ran = trec(plain, more, *options)
    ran.refused(
        ("other.txt", "has 1 queries that run.txt lacks, the first 'q8'", "--allow-different queries")
    )
    made = json.loads(trec(plain, more, *options, "--allow-different", "queries").ok().out)
    assert (made["queries"], made["left_out"]) == (3, 1)
    assert made["differences"][0]["system_value"] == pytest.approx((1 + 1 / 2 + 1) / 3)


def test_other_judgements_by_id(plain: Plain) -> None:
    qrels, run = plain.write()
    swapped = plain.folder / "swapped.txt"
    swapped.write_bytes(plain.qrels.replace(b"q1 0 d1 1", b"q1 0 d4 1"))
    first, second = assay.read_trec(qrels, run), assay.read_trec(swapped, run)
    with pytest.raises(assay.InputError, match="has other gold than"):
        assay.compare(first, second, measures=["mrr"], resamples=20)
    made = assay.compare(first, second, measures=["mrr"], resamples=20, allow_different=["gold"])["mrr"]
    assert made.baseline_value == pytest.approx((1 / 2 + 1 + 1 / 2) / 3)
    assert made.system_value == pytest.approx((1 / 3 + 1 + 1 / 2) / 3)


TABLE = "id,who,y,p\nx1,a,1,0.9\nx2,a,0,0.4\nx3,b,1,0.3\nx4,b,0,0.2\nx5,c,1,0.8\n"
BETTER = "id,who,y,p\nx1,a,1,0.9\nx2,a,0,0.1\nx3,b,1,0.7\nx4,b,0,0.2\nx5,c,1,0.8\n"
NAMES = ("--prob", "p", "--label", "y", "--group", "who")


@pytest.fixture
def decided(tmp_path: Path, call: Callable[..., Ran]) -> Callable[..., Ran]:
    def run(other: str, *options: str) -> Ran:
        paths = tmp_path / "A.csv", tmp_path / "B.csv"
        for path, text in zip(paths, (TABLE, other), strict=True):
            path.write_text(text)
        return call("compare", "--decisions", *paths, *NAMES, *FAST, *options)

    return run


def reversed_rows(text: str) -> str:
    head, *rows = text.splitlines()
    return "\n".join([head, *reversed(rows)]) + "\n"


def test_tables_by_row_and_by_key(decided: Callable[..., Ran]) -> None:
    by_row = json.loads(decided(BETTER, "--json").ok().out)
    assert by_row["family"] == ["auroc", "auprc", "brier"]
    assert (by_row["queries"], by_row["posts"]) == (5, 3)
    area = by_row["differences"][0]
    # .9 .3 .8 against .4 .2: 5 of 6; .9 .7 .8 against .1 .2: 6 of 6
    assert area["baseline_value"] == pytest.approx(5 / 6)
    assert area["system_value"] == 1.0
    by_key = json.loads(decided(reversed_rows(BETTER), "--key", "id", "--json").ok().out)
    assert by_key["differences"] == by_row["differences"]


def test_rows_in_another_order_need_a_key(decided: Callable[..., Ran]) -> None:
    other = BETTER.replace("x1,a,1", "x1,a,0").replace("x2,a,0", "x2,a,1")
    for options in ((), ("--allow-different", "gold")):
        decided(other, *options).refused(("B.csv", "other gold than A.csv", "'1'", "--key COLUMN"))


def test_rows_of_other_groups(decided: Callable[..., Ran]) -> None:
    ran = decided(BETTER.replace("x3,b", "x3,c"))
    ran.refused(("B.csv", "other posts than A.csv on 1 queries", "clusters must be the same"))


def test_rows_that_are_too_few(decided: Callable[..., Ran]) -> None:
    fewer = BETTER[: BETTER.index("x5")]
    decided(fewer).refused(("B.csv", "has 4 rows, A.csv 5", "--key COLUMN"))
    ran = decided(fewer, "--key", "id")
    ran.refused(("B.csv", "lacks 1 queries that A.csv has, the first 'x5'", "--allow-different queries"))
    made = json.loads(decided(fewer, "--key", "id", "--allow-different", "queries", "--json").ok().out)
    assert (made["queries"], made["posts"], made["left_out"]) == (4, 2, 1)


def test_other_labels_by_key(decided: Callable[..., Ran]) -> None:
    other = BETTER.replace("x3,b,1", "x3,b,0")
    decided(other, "--key", "id").refused(("B.csv", "other gold", "'x3'", "--allow-different gold"))
    area = found(decided(other, "--key", "id", "--allow-different", "gold", "--json"))["auroc"]
    assert area["absent"]["delong"] == "the systems have different gold"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("x3", "x1"), ("B.csv row 4", "id 'x1' is already listed")),
        (("x3", ""), ("B.csv row 4", "id is empty")),
        (("id", "name"), ("no column 'id'", "--key")),
        (("0.7", "1.7"), ("B.csv row 4", "p is 1.7")),
    ],
)
def test_bad_tables(decided: Callable[..., Ran], change: tuple[str, str], words: tuple[str, ...]) -> None:
    decided(BETTER.replace(*change), "--key", "id").refused(words)


def test_bundles_bring_their_gold_and_contract(call: Callable[..., Ran], tmp_path: Path) -> None:
    example = Path(str(files("assay.example")))
    inputs = (example / "predictions", "--corpus", example / "corpus")
    a, b, other = (tmp_path / name for name in ("a", "b", "other"))
    call("evaluate", *inputs, "-o", a, "--no-report").ok()
    call("evaluate", *inputs, "-o", b, "--no-report").ok()
    call("evaluate", *inputs, "--contract", "e2e/1.0", "-o", other, "--no-report").ok()
    made = json.loads(call("compare", a, b, "--resamples", "20", "--json").ok().out)
    assert "ndcg@10" in made["family"]
    assert {each["difference"] for each in made["differences"]} == {0.0}
    call("compare", a, other).refused(("other", "is under e2e/1.0, a under assay/1"))
    call("compare", a).refused(("compare", "one system was given"))
    call("compare", a, b, "--corpus", example / "corpus").refused(("bundles with --corpus",))
    call("compare", a, example / "predictions", "--corpus", example / "corpus").refused(
        ("compare", "bundles and other inputs")
    )
    (b / "gold.csv").write_text((b / "gold.csv").read_text().replace("p01.2", "p01.3"))
    call("compare", a, b).refused(("gold.csv", "was changed"))


def test_predictions_with_a_manifest_are_no_bundle(world: World) -> None:
    """As `assay run` leaves them."""
    first, corpus = world.write()
    systems = [world.folder / name for name in ("A", "B")]
    for folder in systems:
        shutil.copytree(first, folder)
        (folder / "MANIFEST.json").write_text('{"files": {}}')
    ran = world.call("compare", *systems, "--corpus", corpus, *FAST, "-m", "mrr")
    assert ran.ok().out.startswith("A, B under assay/1")


def test_logs_are_compared(world: World, tmp_path: Path) -> None:
    """Python compared two logs and the command asked for a corpus. MRR by hand: 1/2 and 1."""
    rows = [{"question": f"Who {at}?", "docs": ["a", "b"], "truth": ["b"]} for at in range(4)]
    for name, order in (("old", ["a", "b"]), ("new", ["b", "a"])):
        lines = "\n".join(json.dumps(row | {"docs": order}) for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    logs = (tmp_path / "old.jsonl", tmp_path / "new.jsonl")
    options = ("--map", "gold=truth", "-m", "mrr", "--json")
    ran = world.call("compare", *logs, *FAST, *options)
    made = json.loads(ran.out)["differences"][0]
    assert (made["baseline_value"], made["system_value"]) == (0.5, 1.0)
    world.call("compare", *logs, *FAST).refused(("no field for gold", "--map gold=FIELD"))
    world.call("compare", logs[0], tmp_path / "none.jsonl").refused(("none.jsonl: not found",))
