"""Work does not grow with a number in the input; what has no bound is refused with one."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import assay
from assay.data.tasks.squad2_answers import exact_and_f1
from assay.errors import MeasureError
from assay.metrics.core.entry import LONGEST_CASE
from assay.metrics.core.registry import FAMILIES, metric
from tests.hostile.conftest import EXAMPLE, Call

PLAIN = ("evaluate", "--qrels", EXAMPLE / "qrels.txt", "--run", EXAMPLE / "run.txt")
CORPUS = ("evaluate", EXAMPLE / "predictions", "--corpus", EXAMPLE / "corpus")


ADD_UP_TO_THEIR_CUT = ("sdcg",)


@pytest.mark.parametrize(
    "family", [name for name, each in FAMILIES.items() if each.cut in ("required", "optional")]
)
def test_a_cut_off_of_a_billion_has_no_long_cases(family: str) -> None:
    """`ndcg@1000000000` took 46 s and 2 GB: its witness was a text of a billion marks."""
    largest = 1_000_000 if family in ADD_UP_TO_THEIR_CUT else 10**9
    made = metric(f"{family}@{largest}")
    if family in ADD_UP_TO_THEIR_CUT:
        with pytest.raises(MeasureError, match="the cut-off must be at most 1,000,000"):
            metric(f"{family}@{largest + 1}")
    cases = [*(edge.case for edge in made.edges), *(each.case for each in made.fails.values())]
    assert max(len(case.ranking) + len(case.missed) for case in cases) <= LONGEST_CASE + 2
    small = metric(f"{family}@3")
    assert made.fails.keys() == small.fails.keys()


@pytest.mark.parametrize("k", ["1000000000", "1000000000000000"])
def test_a_cut_off_far_below_the_lists(k: str, call: Call) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    deep, whole = (call(*PLAIN, "-m", f"ndcg@{k}", "--json"), call(*PLAIN, "-m", "ndcg@all", "--json"))
    assert deep.code == whole.code == 0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kilobytes
    value = '"value": 0.6923'
    assert value in deep.out
    assert value in whole.out
    assert call(*PLAIN, "--k", k).code == 0


def test_a_published_result_without_an_end(call: Call) -> None:
    """A device has no size: `lint /dev/zero` read until the memory was full."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    call("lint", "/dev/zero").refused("zero", "at most 20,000,000 bytes")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kilobytes


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-m", "ndcg@1" + "0" * 20), ("ndcg@1", "10^15")),
        (("-m", "ndcg@" + "9" * 5000), ("ndcg@9", "10^15")),
        (("-m", "ndcg@²"), ("cut-off must be",)),
        (("-m", "rbp:p=٠.٥"), ("p=٠.٥",)),
        (("-m", "f@5:beta=1_0"), ("beta=1_0",)),
        (("--k", "9" * 30), ("10^15",)),
        (("--k", "٣"), ("--k", "whole numbers")),
        (("--depth", "1" + "0" * 20), ("depth", "10^15")),
        (("--level", "1" + "0" * 20), ("rel=1",)),
        (("-m", "err@5:gmax=5000"), ("gmax=5000", "1000")),
    ],
)
def test_numbers_beyond_reason(options: tuple[str, ...], words: tuple[str, ...], call: Call) -> None:
    call(*PLAIN, *options).refused(*words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-m", "ece:bins=100000000000"), ("bins", "1 to 100")),
        (("-m", "brier_reliability:bins=101"), ("bins", "1 to 100")),
        (("--ci", "1000000000"), ("resamples", "100,000")),
        (("--ci", "9" * 30), ("resamples", "100,000")),
        (("--ci", "9" * 5000), ("--ci",)),
    ],
)
def test_amounts_of_work(options: tuple[str, ...], words: tuple[str, ...], call: Call) -> None:
    call(*CORPUS, *options).refused(*words)


def test_amounts_of_work_of_other_commands(call: Call, tmp_path: Path) -> None:
    compare = ("compare", EXAMPLE / "predictions", EXAMPLE / "predictions", "--corpus", EXAMPLE / "corpus")
    call(*compare, "--resamples", "1000000000").refused("resamples", "100,000")
    call("synth", "-o", tmp_path / "out", "--posts", "1" + "0" * 12).refused("posts", "1,000,000")
    call("synth", "-o", tmp_path / "out", "--seed", "-1").refused("seed")
    plan = tmp_path / "plan.toml"
    plan.write_text('corpus = "corpus"\n[protocol]\nresamples = 1000000000\n')
    call("run", plan, "-o", tmp_path / "out").refused("resamples", "100000")
    assert not (tmp_path / "out").exists()


def test_more_draws_than_there_are(tmp_path: Path, call: Call) -> None:
    plan = assay.Bootstrap(10)
    result = assay.evaluate(EXAMPLE / "predictions", EXAMPLE / "corpus", measures=["mrr"], bootstrap=plan)
    result.save(tmp_path / "bundle")
    assert call("verify", tmp_path / "bundle", "--draws", "9" * 30).code == 0


def test_more_processes_than_folds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool of 10^10 processes is an overflow; there is work for as many as there are folds."""
    from assay.pipeline.prediction_tables import Answers
    from assay.pipeline.protocol import outer_folds as runs

    asked: list[int] = []

    def started(
        jobs: list[object], _run: object, processes: int, *_more: object, **_named: object
    ) -> list[Answers]:
        asked.append(processes)
        return [Answers(pl.DataFrame()) for _ in jobs]

    monkeypatch.setattr(runs, "in_processes", started)
    corpus = assay.read_corpus(EXAMPLE / "corpus")
    path = tmp_path / "plan.toml"
    path.write_text('corpus = "corpus"\nstages = ["lexical"]\n[protocol]\nfolds = 3\n')
    runs.predict(assay.read_plan(path), corpus, lambda *_: 0.5, cache=tmp_path, processes=10**10)
    assert asked == [3]


@pytest.mark.parametrize("grade", ["1e308", "-1e308", "1001"])
def test_grades_that_would_overflow(grade: str, call: Call, example: Path) -> None:
    """They were `a fault of assay`, without a row."""
    with (example / "qrels.txt").open("a") as file:
        file.write(f"p01.sleep 0 other {grade}\n")
    lines = len((example / "qrels.txt").read_text().splitlines())
    ran = call("evaluate", "--qrels", example / "qrels.txt", "--run", example / "run.txt")
    ran.refused(f"qrels.txt line {lines}: grade is '{grade}'", "±1000")
    gold = example / "corpus" / "gold.csv"
    rows = gold.read_text().splitlines()
    gold.write_text("\n".join([f"{rows[0]},grade", f"{rows[1]},{grade}", *(f"{row},1" for row in rows[2:])]))
    call("evaluate", example / "predictions", "--corpus", example / "corpus").refused(
        "gold.csv row 2: grade is"
    )
    with pytest.raises(assay.InputError, match="grade"):
        assay.Arrays.of([1.0, 0.5], [float(grade), 1.0], [2])


def test_the_largest_grade_is_fine(example: Path, call: Call) -> None:
    with (example / "qrels.txt").open("a") as file:
        file.write("p01.sleep 0 p01.3 1000\n")
    for contract in ("assay/1", "trec_eval/10"):
        options = ("-m", "ndcg@5:gain=exponential") if contract == "assay/1" else ()
        ran = call(
            "evaluate",
            "--qrels",
            example / "qrels.txt",
            "--run",
            example / "run.txt",
            "--contract",
            contract,
            *options,
        )
        assert ran.code == 0, ran.err


def _cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def test_scifact_with_many_claims(tmp_path: Path) -> None:
    """The set of known claims was made once per claim: 100,000 claims took hours."""
    for name, first in (("gold.jsonl", 0), ("answers.jsonl", 1)):
        lines = (f'{{"id": {at + first}, "evidence": {{}}}}\n' for at in range(20_000))
        (tmp_path / name).write_text("".join(lines))

    def read() -> None:
        with pytest.raises(assay.InputError, match=r"has 1 claims that gold\.jsonl lacks"):
            assay.read_task("scifact", tmp_path / "answers.jsonl", tmp_path / "gold.jsonl")

    assert _cpu(read) < 3


def test_many_rationales_and_many_expected_answers(tmp_path: Path) -> None:
    """Each predicted sentence was looked for in each rationale, and each answer counted per expected one."""
    many = 5_000
    gold = {"7": [{"sentences": [at], "label": "SUPPORT"} for at in range(many)]}
    found = {"7": {"sentences": list(range(many)), "label": "SUPPORT"}}
    for name, evidence in (("gold.jsonl", gold), ("answers.jsonl", found)):
        (tmp_path / name).write_text(json.dumps({"id": 1, "evidence": evidence}))
    assert _cpu(lambda: assay.read_task("scifact", tmp_path / "answers.jsonl", tmp_path / "gold.jsonl")) < 2
    expected = [f"w{at}" for at in range(many)]
    assert _cpu(lambda: exact_and_f1(" ".join(f"x{at}" for at in range(many)), expected)) < 1


@pytest.mark.full
def test_a_bundle_of_a_large_group_is_verified(tmp_path: Path) -> None:
    """Each member was looked for among all others, and an order in one field was too long for a reader."""
    many = 30_000
    uids = [f"s{at}" for at in range(many)]
    keys = {"post_id": ["p"] * many, "criterion_id": ["c"] * many}
    corpus = assay.Corpus.of(
        sentences=pl.DataFrame({"post_id": ["p"] * many, "sent_uid": uids, "text": ["t"] * many}),
        criteria=pl.DataFrame({"criterion_id": ["c"], "text": ["t"]}),
        gold=pl.DataFrame({**keys, "sent_uid": uids, "group": ["g"] * many}),
    )
    found = pl.DataFrame({"post_id": ["p"], "criterion_id": ["c"], "sent_uid": ["s1"], "score": [1.0]})
    name = "evidence_group_recall@5:rel=1,on=evidence"
    folder = tmp_path / "bundle"
    assay.evaluate(assay.Predictions.of(candidates=found), corpus, measures=[name]).save(folder)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert assay.verify(folder).ok
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 4
