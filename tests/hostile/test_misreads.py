"""Input that was read as something else, without a word."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
import assay.compat
from assay.contracts.contract_toml import parse
from assay.errors import MeasureError
from assay.metrics.core.family import Family
from assay.metrics.core.registry import FAMILIES, metric
from assay.metrics.core.schema import pattern
from tests.hostile.conftest import EXAMPLE, Call

QRELS = EXAMPLE / "qrels.txt"


@pytest.mark.parametrize(
    "listed",
    [
        ["a1", "b2"],
        "ab",
        [("a", "1")],
        [("a", None)],
        [(None, 1.0)],
        [("a", 1.0, 2.0)],
        [1, 2],
        7,
        {"a": "1"},
        {("a", "b"): 1.0},
        [b"ab"],
    ],
)
def test_a_dict_that_is_no_run(listed: object) -> None:
    """`{"q": ["a1", "b2"]}` became items `a` and `b` with scores 1 and 2."""
    with pytest.raises(assay.InputError, match=r"run query 'p01.sleep'.*(not a ranking|score is|as an item)"):
        assay.read_trec(QRELS, {"p01.sleep": listed})


@pytest.mark.parametrize("listed", [[("p01.2", 1)], {"p01.2": np.float32(1)}, [["p01.2", True]], [(1, 2.0)]])
def test_a_dict_that_is_one(listed: object) -> None:
    run = assay.read_trec(QRELS, {"p01.sleep": listed})
    assert assay.evaluate(run, measures=["mrr"])["mrr"].n == 6


def test_by_as_a_generator_or_a_name() -> None:
    given = (EXAMPLE / "predictions", EXAMPLE / "corpus")
    wanted = assay.evaluate(*given, by=["criterion_id"], measures=["mrr"]).groups
    assert wanted["criterion_id"]["sleep"]["mrr"].n
    for by in ((name for name in ["criterion_id"]), "criterion_id", {"criterion_id": 1}):
        found = assay.evaluate(*given, by=by, measures=["mrr"])  # type: ignore[arg-type]
        assert found.groups == wanted
    assert assay.evaluate(*given, measures="mrr")["mrr"].value


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (([0.9, 0.5], [1, 0], [1.5, 0.5]), "length is 1.5"),
        (([0.9, 0.5], [1, 0], [np.nan, 2]), "length is nan"),
        (([0.9, 0.5], [1, 0], [-1, 3]), "length is -1"),
        ((np.ma.masked_array([0.9, 0.5], [False, True]), [1, 0], [2]), "scores have masked values"),
        (([0.9, 0.5], np.ma.masked_array([1, 0], [True, False]), [2]), "grades have masked values"),
        (([0.9, 0.5], [1, 0], np.ma.masked_array([2], [True])), "lengths have masked values"),
        ((["0.9", "0.5"], [1, 0], [2]), "scores are not an array of numbers"),
        (([[0.9], [0.5, 1]], [1, 0], [2]), "scores are not an array of numbers"),
        (([0.9 + 1j, 0.5], [1, 0], [2]), "scores are not an array of numbers"),
        (([None, 0.5], [1, 0], [2]), "scores are not an array of numbers"),
        (([0.9, 0.5], [1, 0], [2], [1.0]), "missed has shape"),
    ],
)
def test_arrays(given: tuple[object, ...], words: str) -> None:
    with pytest.raises(assay.InputError, match=words):
        assay.Arrays.of(*given)  # type: ignore[arg-type]


def test_arrays_that_are_fine() -> None:
    unmasked = np.ma.masked_array([0.9, 0.5], [False, False])
    made = assay.Arrays.of(unmasked, [True, False], [2.0])
    assert assay.evaluate(made, measures=["mrr"])["mrr"].value == 1.0


def test_masks_elsewhere() -> None:
    masked: Any = np.ma.masked_array([0.0, 1.0], [False, True])
    for call in (
        lambda: assay.compat.compute_ndcg_at_k(masked, [0.1, 0.2]),
        lambda: assay.compat.compute_ndcg_at_k([0, 1], masked),
        lambda: assay.compat.NEGateMetrics.compute(masked, [0.1, 0.2]),
        lambda: assay.compat.NEGateMetrics.compute([0, 1], masked),
        lambda: assay.choose_threshold(masked, [0, 1], rule="f1"),
    ):
        with pytest.raises(assay.InputError, match="masked"):
            call()


@pytest.mark.parametrize("name", ["labels", "probs", "groups", "folds"])
def test_masks_of_labels_and_probabilities(name: str) -> None:
    """A masked label was read as the number behind its mask, and a masked group as another group."""
    given: dict[str, Any] = {
        "labels": [0, 1, 1],
        "probs": [0.1, 0.4, 0.3],
        "groups": [1, 2, 3],
        "folds": [1, 2, 2],
    }
    masked = given | {name: np.ma.masked_array(given[name], [False, True, False])}
    with pytest.raises(assay.InputError, match=rf"labels row 2: {name} is empty"):
        assay.evaluate(**masked)
    table = {"label": given["labels"], "prob": given["probs"], "g": given["groups"], "f": given["folds"]}
    column = {"labels": "label", "probs": "prob", "groups": "g", "folds": "f"}[name]
    with pytest.raises(assay.InputError, match=f"row 2: {column} is empty"):
        assay.evaluate(assay.read_decisions(table | {column: masked[name]}, group="g", fold="f"))
    unmasked = given | {name: np.ma.masked_array(given[name], [False, False, False])}
    assert assay.evaluate(**unmasked) == assay.evaluate(**given)


@pytest.mark.parametrize("empty", ["", None, np.nan])
@pytest.mark.parametrize("column", ["groups", "folds"])
def test_rows_without_a_group(column: str, empty: Any) -> None:
    """All rows without a group were one group, so intervals took strangers for one patient."""
    given: dict[str, Any] = {"labels": [0, 1, 1, 0], "probs": [0.1, 0.4, 0.3, 0.2]}
    with pytest.raises(assay.InputError, match=rf"row 2: {column} is empty.*\n.*row 3: {column} is empty"):
        assay.evaluate(**(given | {column: ["a", empty, empty, "b"]}))
    numbers: Any = np.array([1.0, np.nan, np.nan, 2.0])
    with pytest.raises(assay.InputError, match=rf"row 2: {column} is empty.*\n.*row 3: {column} is empty"):
        assay.evaluate(**(given | {column: numbers}))


def test_a_column_without_groups(tmp_path: Path, call: Call) -> None:
    (tmp_path / "d.csv").write_text("label,prob,who\n0,.1,a\n1,.2,\n1,.3,\n0,.3,b\n")
    ran = call("evaluate", "--decisions", tmp_path / "d.csv", "--group", "who")
    ran.refused("d.csv row 3: who is empty", "d.csv row 4: who is empty")
    call("evaluate", "--decisions", tmp_path / "d.csv")
    (tmp_path / "q.csv").write_text("id,gold,ranked,prob,group\n1,a|b,a|c,0.5,g\n2,,a|c,0.5,\n")
    call("verify", "--per-query", tmp_path / "q.csv").refused("q.csv row 3: group is empty")
    record = '{"question": "%s?", "retrieved": ["x", "y"], "gold": ["x"], "group": "%s"}\n'
    (tmp_path / "log.jsonl").write_text(record % ("a", "g") + record % ("b", ""))
    call("evaluate", tmp_path / "log.jsonl").refused("log.jsonl line 2: group is empty")


@pytest.mark.parametrize("number", ["٣", "²", "１", "1٫5", "1_0", "½"])
def test_digits_of_other_scripts(number: str, example: Path, call: Call) -> None:
    for name, line in (
        ("qrels.txt", f"p01.sleep 0 new {number}\n"),
        ("run.txt", f"p01.sleep Q0 new 9 {number} x\n"),
    ):
        path = example / name
        before = path.read_text()
        path.write_text(before + line)
        ran = call("evaluate", "--qrels", example / "qrels.txt", "--run", example / "run.txt")
        ran.refused(name, f"line {len(before.splitlines()) + 1}", "must be numbers")
        path.write_text(before)


@pytest.mark.parametrize("head", ["²,³", "k,²", "9" * 5000 + ",1"])
def test_cut_offs_in_printed_tables(head: str, tmp_path: Path, call: Call) -> None:
    path = tmp_path / "figures.csv"
    path.write_text(f"measure,{head}\nnDCG,0.5,0.6\nRecall,0.3,0.7\n")
    assert "fault of assay" not in call("lint", path).err


@pytest.mark.parametrize("figure", ["1e400", "-1e400", "1e-400", "0.5 ± 1e400"])
def test_printed_figures_beyond_all_floats(figure: str, tmp_path: Path, call: Call) -> None:
    path = tmp_path / "figures.csv"
    path.write_text(f"measure,value\nMRR,{figure}\nAUROC,0.8\n")
    assert call("lint", path).code == 0  # not read, and said so
    call("lint", path, "--strict").refused("figures.csv")


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_numbers_of_definition_ids_are_those_that_a_bundle_may_have(family: Family) -> None:
    """`rbp:p=5e-1` was evaluated and saved, and `verify` refused the bundle for the id."""
    written = (
        "5e-1",
        "1E0",
        "0.5_0",
        "٣",
        ".5",
        "5.",
        "00.5",
        "+0.5",
        "-0",
        "007",
        "0x1",
        "2",
        "0.50",
        "0.25",
        "1.0",
    )
    cut = {"required": "@10", "point": "@0.1", "interior": "@0.1"}.get(family.cut, "")
    names = [f"{family.name}@{text}" for text in written] if family.cut != "none" else []
    for each in family.parameters:
        if each.number == "gains":
            names += [f"{family.name}{cut}:gains={pair}" for t in written for pair in (f"{t}:1", f"1:{t}")]
        elif not each.values:
            names += [f"{family.name}{cut}:{each.name}={text}" for text in written]
    accepted = 0
    for name in names:
        try:
            found = metric(name)
        except MeasureError:
            continue
        accepted += 1
        assert re.fullmatch(pattern(family), found.id), name
    assert accepted or not names


def test_a_group_has_any_name(tmp_path: Path) -> None:
    """A sentence without a group was in the group of this name."""
    hostile = "b\x1falone"
    text = {"post_id": ["p"] * 3, "sent_uid": ["a", "b", "c"]}
    gold = {"post_id": ["p"] * 2, "criterion_id": ["c"] * 2, "sent_uid": ["a", "b"], "group": [hostile, None]}
    corpus = assay.Corpus.of(
        sentences=pl.DataFrame(text), criteria=pl.DataFrame({"criterion_id": ["c"]}), gold=pl.DataFrame(gold)
    )
    keys = {"post_id": ["p"], "criterion_id": ["c"]}
    found = assay.Predictions.of(candidates=pl.DataFrame({**keys, "sent_uid": ["b"], "score": [1.0]}))
    name = "evidence_group_recall@1:rel=1,on=evidence"
    assert assay.evaluate(found, corpus, measures=[name])[name].value == 1.0


@pytest.mark.parametrize("name", ["labels", "probs", "groups", "folds"])
def test_a_set_is_no_column(name: str) -> None:
    """Its order is that of hashes: each probability went to some row."""
    given: dict[str, Any] = {"labels": [1, 0], "probs": [0.9, 0.3], "groups": [1, 2], "folds": [1, 2]}
    for kind in (set, frozenset):
        with pytest.raises(assay.InputError, match="a set has no order"):
            assay.evaluate(**(given | {name: kind(given[name])}))
    with pytest.raises(assay.InputError):
        assay.read_decisions({"label": [1, 0], "prob": {0.9, 0.3}})
    assert assay.evaluate(**(given | {name: dict.fromkeys(given[name]).keys()})) == assay.evaluate(**given)


def test_series_in_another_order() -> None:
    """Rows are matched by position, and one of these was shuffled after the other."""
    pandas = pytest.importorskip("pandas")
    labels = pandas.Series([1, 0, 1, 0], index=[10, 11, 12, 13])
    probs = pandas.Series([0.6, 0.4, 0.3, 0.9], index=[13, 12, 11, 10])
    for read in (
        lambda: assay.evaluate(labels=labels, probs=probs),
        lambda: assay.compare(probs, probs, labels=labels),
        lambda: assay.read_decisions({"label": labels, "prob": probs}),
    ):
        with pytest.raises(assay.InputError, match="the same index in another order"):
            read()
    aligned = assay.evaluate(labels=labels, probs=probs.reindex(labels.index), measures="auroc")
    assert aligned["auroc"].value == 0.75
    # Another index, as of `predict_proba`, means the same rows.
    assert assay.evaluate(labels=labels, probs=probs.to_numpy()[::-1], measures="auroc") == aligned
    other = pandas.Series([0.9, 0.3, 0.4, 0.6])
    assert assay.evaluate(labels=labels, probs=other, measures="auroc") == aligned


def test_a_column_of_an_arrow_table() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    probs = pyarrow.table({"p": [0.9, 0.3, 0.4, 0.6]})["p"]
    assert assay.evaluate(labels=[1, 0, 1, 0], probs=probs, measures="auroc")["auroc"].value == 0.75


@pytest.mark.parametrize("name", ["complete", "tune_reused"])
def test_a_word_is_no_flag(name: str) -> None:
    given: dict[str, Any] = {"qrels": {"q": {"a": 1}}, "measures": "mrr"}
    word: Any
    for word in ("no", "False", [False], 2):
        with pytest.raises(assay.InputError, match=f"`{name}`: is .*expected True or False"):
            assay.evaluate({"q": {"a": 0.5}}, **given, **{name: word})
    off: Any
    for off in (False, None, 0, np.False_):
        assert assay.evaluate({"q": {"a": 0.5}}, **given, **{name: off})["mrr"].value == 1.0


@pytest.mark.parametrize("k", [range(1, 10**12), range(1, 1002), itertools.count(1)])
def test_too_many_cut_offs(k: Any) -> None:
    """Each cut-off costs a value of every measure."""
    given: dict[str, Any] = {"qrels": {"q": {"a": 1}}}
    with pytest.raises(assay.ContractError, match="too many cut-offs; expected at most 1,000"):
        assay.evaluate({"q": {"a": 0.5}}, k=k, **given)
    assert len(assay.evaluate({"q": {"a": 0.5}}, k=range(1, 1001), measures="mrr", **given)) == 1
    text = (
        f'id = "mine"\nk = {list(range(1, 1002))}\n[measures]\n"mrr@{{k}}" = "mrr@{{k}}:rel=1,on=evidence"\n'
    )
    with pytest.raises(assay.ContractError, match="too many cut-offs"):
        parse(text, "mine.toml")


@pytest.mark.parametrize("k", [0, -1, 10**15 + 1, 10**21])
def test_cut_offs_are_whole_numbers_up_to_a_limit(k: int) -> None:
    with pytest.raises(assay.ContractError, match="cut-offs must be whole numbers from 1 to 10"):
        assay.contract("assay/1").changed(k=(5, k))
