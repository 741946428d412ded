"""Contracts as files: shipped ones, a user's, what they say and how they differ."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import assay
from assay.contracts.contract_diff import measures_differ, rules_differ
from assay.contracts.contract_toml import SHIPPED, contract, parse, shipped_text

MINE = """
id = "mine/1"
ties = "docno_desc"
k = [2, 4]
[measures]
"r@{k}" = "recall@{k}:gold=retrieved,rel=2,on=all"
"ap" = "map@all:denominator=R"
"""


def test_twelve_contracts_are_shipped() -> None:
    assert SHIPPED == (
        "assay/1",
        "evidence/1.0.0",
        "paper/1.0",
        "e2e/1.0",
        "bundle/3.0",
        "ir/1",
        "trec_eval/10",
        "squad2/1",
        "fever/1",
        "scifact/1",
        "nomiracl/1",
        "erisk/1",
    )
    assert len({contract(name).hash for name in SHIPPED}) == 12


@pytest.mark.parametrize("name", SHIPPED)
def test_every_definition_is_spelled_whole(name: str) -> None:
    made = contract(name)
    for public, text in made.names.items():
        assert text == made.metrics[public].id, "a contract must not lean on defaults"


def test_a_users_contract(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MINE)
    made = assay.contract(path)
    assert made.names["r@2"] == "recall@2:gold=retrieved,rel=2,on=all"
    assert made.metrics["ap"].id == "map@all:denominator=R,cut=k,rel=1,on=evidence"
    assert made.ranking.ties == "docno_desc"


def test_all_faults_of_a_contract_at_once() -> None:
    text = 'ties = "random"\nk = [0]\nextra = 1\n[measures]\nx = 3\n'
    with pytest.raises(assay.ContractError) as caught:
        parse(text, "bad.toml")
    lines = str(caught.value).splitlines()
    assert len(lines) == 5
    assert all(line.startswith("bad.toml: ") for line in lines)
    assert any("id is missing" in line for line in lines)
    assert any("'random'; expected stable or docno_desc" in line for line in lines)


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ('"a" = "nope@3"', "no measure is called 'nope'"),
        ('"a" = "recall@3:gold=some"', "expected all | retrieved"),
        ('"a@{k}" = "recall@3"', "must both have {k}, or neither"),
        ('"a" = "recall"', "needs a cut-off"),
        ('"a" = "recall@0"', "a whole number from 1 to 10^15, or all"),
        ('"a" = "rbp:p=1.5"', "a number between 0 and 1"),
        ('"a" = "mrr:colour=red"', "has no parameter 'colour'"),
        ('"a" = "rprec@3"', "has no cut-off"),
    ],
)
def test_a_wrong_measure_is_named(measures: str, message: str) -> None:
    with pytest.raises(assay.ContractError) as caught:
        parse(f'id = "x"\n[measures]\n{measures}\n', "x.toml")
    assert message in str(caught.value)


def test_diff_lists_each_name_whose_definition_differs() -> None:
    a, b = contract("assay/1"), contract("paper/1.0")
    different = {each.name for each in measures_differ(a, b)}
    assert {"ndcg@{k}", "map@{k}", "precision@{k}", "mrr"} <= different
    assert "recall@{k}" not in different
    assert "hit@{k}" not in different
    rules = {each.name: (each.first, each.second) for each in rules_differ(a, b)}
    assert set(rules) == {"headline with folds", "cut-offs", "deployment threshold"}
    assert rules["deployment threshold"] == ("fpr_0.05", "0.5")
    assert measures_differ(a, a) == []


def test_changes_show_in_the_id_and_the_hash() -> None:
    base = contract("trec_eval/10")
    changed = base.changed(level=2, depth=100, complete=True)
    assert changed.id == "trec_eval/10+level=2+complete+depth=100"
    assert changed.hash != base.hash
    assert changed.names["P_5"] == "precision@5:denominator=k,rel=2,on=all"
    assert changed.names["ndcg"] == "ndcg@all:gain=linear,gold=all,cut=k,on=all"
    assert base.changed() is base


def test_a_name_at_another_cut_off_resolves() -> None:
    assert contract("assay/1").resolve("map@7").id == "map@7:denominator=min_r_k,cut=k,rel=1,on=evidence"
    assert contract("trec_eval/10").resolve("P_3").id == "precision@3:denominator=k,rel=1,on=predicted"
    assert contract("assay/1").resolve("success@4:on=all").id == "hit@4:rel=1,on=all"


def test_a_name_that_the_contract_lacks_is_not_replaced_in_silence() -> None:
    with pytest.raises(assay.MeasureError, match=r"trec_eval/10 has no ece; .* spell it: ece:bins=10,on=all"):
        contract("trec_eval/10").resolve("ece")


def test_a_name_left_out_on_purpose_says_why() -> None:
    made = contract("trec_eval/10")
    assert set(made.absent) == {"rbp", "rbp_resid"}
    with pytest.raises(assay.MeasureError, match=r"no rbp: .*uninitialised memory.*own definition is rbp:p="):
        made.resolve("rbp")
    assert made.resolve("rbp:p=0.9,rel=1,on=predicted").name == "rbp"
    with pytest.raises(assay.ContractError, match="absent: r is among the measures"):
        parse('id = "x"\n[measures]\nr = "rprec"\n[absent]\nr = "because"\n', "x.toml")


def test_corrections_are_dated_and_name_measures_and_the_text_before() -> None:
    corrected = {name: contract(name).corrections for name in SHIPPED}
    assert {name for name, entries in corrected.items() if entries} == {
        "assay/1",
        "evidence/1.0.0",
        "trec_eval/10",
    }
    for name, entries in corrected.items():
        now = hashlib.sha256(shipped_text(name).encode()).hexdigest()
        for each in entries:
            assert each.before != now, "the text has changed since"
            known = {*contract(name).names, *contract(name).absent}
            assert set(each.measures) <= known


@pytest.mark.parametrize(
    "entry",
    [
        'date = "2026-11-18"\ntitle = "t"\nwhat = "w"\nwhy = "y"\nmeasures = []\nbefore = "0"',
        'date = 2026-11-18\ntitle = "t"\nwhat = "w"\nwhy = "y"\nmeasures = []\nbefore = "0"',
        "date = 2026-11-18",
    ],
)
def test_an_incomplete_correction_is_refused(entry: str) -> None:
    text = f'id = "x"\n[measures]\nr = "rprec"\n[[corrections]]\n{entry}\n'
    with pytest.raises(assay.ContractError, match="expected tables with date, title"):
        parse(text, "x.toml")
