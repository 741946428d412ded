"""A measure that a user defines, end to end: evaluate, compare, save, load, verify, gate, CLI."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from assay.contracts.contract_toml import SHIPPED
from assay.data.cases import Cases
from assay.evaluation.bundle.bundle_files import MANIFEST, MASTER, sha256
from assay.metrics.core import define, registry
from assay.verification.publication_gate import publication_gate

from ..command import exit_code

ROOT = Path(__file__).parents[2]
EXAMPLE = Path(str(files("assay.example")))
CORPUS, PREDICTIONS = EXAMPLE / "corpus", EXAMPLE / "predictions"
NAME = "gold_share@3"


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Forget what a test defined."""
    yield
    registry.USER_DEFINED.clear()
    registry.metric.cache_clear()


def share(grades: list[float], gold: list[float], k: int) -> float:
    """Recall, written by a user."""
    return sum(grade >= 1 for grade in grades[:k]) / len(gold)


def defined(**more: Any) -> None:
    options = {"cut": True, "range": (0.0, 1.0), **more}
    assay.define_measure("gold_share", share, **options)


def evaluated(*measures: str, **more: Any) -> assay.Result:
    return assay.evaluate(PREDICTIONS, CORPUS, measures=measures, **more)


@pytest.mark.parametrize("contract", SHIPPED)
def test_it_equals_a_shipped_measure_in_every_number_under_every_contract(contract: str) -> None:
    defined()
    plan = assay.Bootstrap(resamples=200)
    recall = "recall@3:gold=all,rel=1,on=evidence"
    result = evaluated(NAME, recall, contract=contract, bootstrap=plan, by=["criterion_id"])
    mine, theirs = result[NAME], result[recall]
    assert mine.definition == "gold_share@3:user=1,on=evidence"
    assert (mine.value, mine.n, mine.pooled) == (theirs.value, theirs.n, theirs.pooled)
    assert (mine.interval, mine.folds, mine.spread) == (theirs.interval, theirs.folds, theirs.spread)
    assert mine.tie_sensitive == theirs.tie_sensitive
    for row in result.groups["criterion_id"].values():
        assert row[NAME].value == row[recall].value


def test_populations_and_all() -> None:
    assay.define_measure("listed", lambda grades, gold, k: k, cut=True, on="all")
    result = evaluated("listed@2", "listed@all", "listed@all:on=evidence")
    assert result["listed@2"].value == 2
    assert result["listed@all"].n == result.counts.queries
    assert result["listed@all:on=evidence"].n == result.counts.evidence


def test_a_vectorised_function_of_columns() -> None:
    def squared(cases: Cases) -> Any:
        return (np.asarray(cases.prob) - cases.has_evidence) ** 2

    assay.define_measure("my_brier", squared, vectorised=True, on="all", better="lower", needs=("prob",))
    result = evaluated("my_brier", "brier")
    assert result["my_brier"].value == result["brier"].value
    ranked = assay.read_trec(EXAMPLE / "qrels.txt", EXAMPLE / "run.txt")
    assert assay.evaluate(ranked, measures=["my_brier", "mrr"]).absent.keys() == {"my_brier"}


def test_compare() -> None:
    defined()
    recall = "recall@3:gold=all,rel=1,on=evidence"
    candidates = pl.read_csv(PREDICTIONS / "candidates.csv", schema_overrides={"post_id": pl.String})
    reverse = assay.Predictions.of(candidates.with_columns(score=-pl.col("score")))
    made = assay.compare(PREDICTIONS, reverse, corpus=CORPUS, measures=[NAME, recall], resamples=100)
    mine, theirs = made[NAME], made[recall]
    assert mine.difference == theirs.difference != 0
    assert (mine.interval, mine.randomisation) == (theirs.interval, theirs.randomisation)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    defined()
    plan = assay.Bootstrap(resamples=100)
    result = evaluated(NAME, "ndcg@3", "auroc", bootstrap=plan, by=["criterion_id"])
    return result.save(tmp_path / "bundle")


def test_verify_neither_fails_nor_claims(bundle: Path) -> None:
    made = assay.verify(bundle, draws=5)
    assert made.ok, made.failed
    assert made.user_defined == (NAME,)
    assert not any(f"/{NAME}/" in f"/{each}/" for each in _numbers(made))
    assert any("ndcg@3" in each for each in _numbers(made))
    gate = publication_gate(bundle, verified=made)
    said = next(check for check in gate.checks if check.name == "user-defined measures")
    assert NAME in said.reason


def _numbers(made: Any) -> set[str]:
    return {
        each.what
        for each in made.findings
        if each.is_number and each.by == "oracle" and each.recomputed is not None
    }


def test_a_process_that_has_not_defined_it(
    bundle: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    value = assay.load(bundle)[NAME].value
    registry.USER_DEFINED.clear()
    registry.metric.cache_clear()
    result = assay.load(bundle)
    assert result[NAME].value == value
    made = assay.verify(bundle, draws=5)
    assert made.ok, made.failed
    assert made.user_defined == (NAME,)
    with pytest.raises(assay.MeasureError, match=r"define_measure\('gold_share', …, version='1'\)"):
        evaluated(result[NAME].definition)
    given = assay.Originals(predictions=PREDICTIONS, corpus=CORPUS)
    with pytest.raises(assay.MeasureError, match="cannot compute"):
        assay.verify(bundle, originals=given)
    assert exit_code(monkeypatch, "verify", bundle, "--draws", "5") == 0
    printed = capsys.readouterr().out
    assert f"Not recomputed by the second implementation (user-defined): {NAME}." in printed
    assert exit_code(monkeypatch, "report", bundle) == 0
    assert exit_code(monkeypatch, "gate", bundle) in (0, 1)
    assert "cannot recompute gold_share@3" in " ".join(capsys.readouterr().out.split())


def test_its_values_are_recomputed_where_it_is_defined(bundle: Path) -> None:
    assert assay.verify(bundle, draws=5).ok
    assay.define_measure("gold_share", lambda grades, gold, k: 1.0, cut=True, replace=True)
    assert {each.what for each in assay.verify(bundle, draws=5).failed} >= {f"measures/{NAME}/value"}


def test_a_shipped_measure_does_not_pass_for_a_user_defined_one(bundle: Path) -> None:
    relabel(bundle, "ndcg@3", "ndcg@3:user=1,on=evidence")
    with pytest.raises(assay.InputError, match="definition"):
        assay.verify(bundle, draws=5)
    relabel(bundle, "ndcg@3", "gold_share@3:user=1,on=evidence")
    made = assay.verify(bundle, draws=5)
    assert not made.ok
    assert made.user_defined == (NAME,)
    assert "measures/ndcg@3/value" in {each.what for each in made.failed}


def relabel(bundle: Path, name: str, definition: str) -> None:
    """Give a measure another definition and value, and let the manifest agree."""
    document = json.loads((bundle / MASTER).read_text(encoding="utf-8"))
    for each in document["measures"]:
        if each["name"] == name:
            each.update(definition=definition, value=0.9, pooled=0.9)
    (bundle / MASTER).write_text(json.dumps(document), encoding="utf-8")
    manifest = json.loads((bundle / MANIFEST).read_text(encoding="utf-8"))
    manifest["files"][MASTER] = sha256(bundle / MASTER)
    (bundle / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


def test_names_and_arguments_that_are_refused() -> None:
    for name in ("ndcg", "rr", "Mine", "", "a-b"):
        with pytest.raises(assay.MeasureError, match="define_measure"):
            assay.define_measure(name, share)
    with pytest.raises(assay.MeasureError, match=r"on is .*better is .*version is .*needs is"):
        assay.define_measure("x", share, on="few", better="up", version="a b", needs=("gold",))
    for bounds in (5, ("a", "b"), (0, 1, 2), (1, 0), (0, float("nan"))):
        with pytest.raises(assay.MeasureError, match=r"range is .*; expected two numbers, the lowest"):
            assay.define_measure("x", share, range=bounds)  # type: ignore[arg-type]
    for text in ({"title": 5}, {"meaning": None}):
        with pytest.raises(assay.MeasureError, match=r"(title|meaning) is .*; expected a text"):
            assay.define_measure("x", share, **text)
    for columns in ("prob", None, (["prob"],)):
        with pytest.raises(assay.MeasureError, match=r"needs is .*; expected a tuple with some of"):
            assay.define_measure("x", share, needs=columns)  # type: ignore[arg-type]
    defined()
    with pytest.raises(assay.MeasureError, match="already defined; pass replace=True"):
        defined()
    defined(replace=True, version="2")
    assert evaluated(NAME)[NAME].definition == "gold_share@3:user=2,on=evidence"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda grades, gold: 1 / 0, "raised ZeroDivisionError"),
        (lambda grades, gold: 1 / 0, "for query p01/sleep: division by zero"),
        (lambda grades, gold: 7.0, r"gave 7 for query p01/sleep; expected a finite number in \[0, 1\]"),
        (lambda grades, gold: float("nan"), "gave nan"),
        (lambda grades, gold: "x", "gave 'x' for query p01/sleep; expected one number per query"),
        (lambda grades, gold: None, "gave None for query p01/sleep; expected one number per query"),
        (lambda grades, gold: [1.0, 2.0], r"gave \[1.0, 2.0\] for query .*; expected one number per query"),
        (lambda grades, gold: 10**400, "gave 1000.* for query p01/sleep; expected one number per query"),
    ],
)
def test_what_a_function_gets_wrong_is_said(function: Any, message: str) -> None:
    assay.define_measure("broken", function, range=(0.0, 1.0))
    with pytest.raises(assay.MeasureError, match=f"broken: .*{message}"):
        evaluated("broken")


def test_values_whose_sum_is_no_number_are_refused() -> None:
    assay.define_measure("broken", lambda grades, gold: 1e308)
    with pytest.raises(
        assay.MeasureError, match=r"gave 1e\+308 for query p01/sleep; expected a number within"
    ):
        evaluated("broken")


def test_a_vectorised_function_cannot_change_what_other_measures_read() -> None:
    def sorts(cases: Cases) -> Any:
        assert cases.prob is not None
        cases.prob.sort()
        return cases.prob

    assay.define_measure("sorts", sorts, vectorised=True, needs=("prob",))
    with pytest.raises(assay.MeasureError, match=r"sorts: the function raised ValueError: .*read-only"):
        evaluated("sorts", "brier")


@pytest.mark.parametrize(
    "name", ["prob", "fold", "n", "gold", "post_id", "query_id", "state", "threshold_f1", "na_prob"]
)
def test_a_name_of_a_column_of_the_table_of_queries_is_refused(name: str) -> None:
    with pytest.raises(assay.MeasureError, match=f"'{name}' is a column of the table of queries"):
        assay.define_measure(name, share)


def test_a_name_of_the_contract_is_not_taken_over() -> None:
    assay.define_measure("neg_rate", lambda grades, gold: 1.0)
    with pytest.raises(assay.MeasureError, match="give yours another name"):
        evaluated("neg_rate")


def test_the_example_of_the_docstring() -> None:
    assert doctest.testmod(define).failed == 0


def test_the_example_of_the_page() -> None:
    page = (ROOT / "docs" / "how-to.md").read_text(encoding="utf-8")
    section = page.partition("## Define a measure of your own")[2]
    code = section.partition("```python\n")[2].partition("```")[0]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "patience@3:user=1,on=evidence\n"
