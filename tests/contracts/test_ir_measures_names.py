"""Names of ir_measures that have keywords, and the definitions that they mean."""

from __future__ import annotations

import pytest

import assay
from assay.contracts.contract_toml import SHIPPED
from assay.errors import MeasureError

NAMES = {
    "SetAP": "set_map:rel=1",
    "SetP(relative=True)": "set_relative_precision:rel=1",
    "SetP(relative=False)": "set_precision:rel=1",
    "Compat(p=0.8)": "compatibility:p=0.8,normalized=yes",
    "Compat": "compatibility:p=0.95,normalized=yes",
    "Compat(p=0.95,normalize=False)": "compatibility:p=0.95,normalized=no",
    "BPM(T=10.0,max_rel=1)@10": "bpm@10:target=10,gmax=1",
    "BPM(max_rel=2,min_rel=0)@30": "bpm@30:target=1,gmax=2",
    "INSQ(T=2.0,max_rel=1)": "insq:target=2,gmax=1,depth=1000",
    "INST(max_rel=2)": "inst:target=1,gmax=2,depth=1000",
    "SDCG(dcg='log2',max_rel=1)@10": "sdcg@10:gmax=1",
    "NERR8(max_rel=1)@10": "nerr8@10:gmax=1",
    "NERR9(max_rel=1)@10": "nerr9@10:gmax=1",
    "NERR10(p=0.8,max_rel=1)": "nerr10:p=0.8,gmax=1,depth=1000",
    "NERR11(T=2.0,max_rel=1)": "nerr11:target=2,gmax=1,depth=1000",
    "nDCG(dcg='exp-log2')@10": "ndcg@10:gain=exponential,gold=all,cut=k",
    "nDCG(judged_only=True)@10": "ndcg@10:gain=linear,gold=all,cut=k,judged_only=yes",
    "nDCG(judged_only=False)@10": "ndcg@10:gain=linear,gold=all,cut=k",
    "nDCG(gains={0:0,1:1,2:3})@10": "ndcg@10:gain=linear,gold=all,cut=k,gains=0:0/1:1/2:3",
    "P(judged_only=True)@10": "precision@10:denominator=k,rel=1,judged_only=yes",
    "RBP(p=0.8,rel=1)": "rbp:p=0.8,rel=1",
    "RBP(p=0.8)": "rbp:p=0.8,rel=1,gain=graded",
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("contract", SHIPPED)
def test_a_name_means_the_same_formula_under_every_contract(contract: str, name: str) -> None:
    found = assay.contract(contract).resolve(name)
    assert found.id.rpartition(",")[0] == NAMES[name]


@pytest.mark.parametrize(
    "name",
    ["INSQ", "BPM@10", "BPM(T=1.0)@10", "nDCG(gains={0:1})@10", "SDCG(max_rel=1)", "P(gains={1:2})@10"],
)
def test_names_that_say_too_little_or_too_much_are_refused(name: str) -> None:
    with pytest.raises(MeasureError):
        assay.contract("assay/1").resolve(name)


def test_what_a_name_lacks_is_said() -> None:
    with pytest.raises(MeasureError, match=r"INSQ\(max_rel=…\)"):
        assay.contract("assay/1").resolve("INSQ")


TREC_EVAL = {
    "P.7,9": ["precision@7:denominator=k,rel=1", "precision@9:denominator=k,rel=1"],
    "success.2": ["hit@2:rel=1"],
    "iprec_at_recall.0.33": ["iprec@0.33:need=round,rel=1"],
    "ndcg.1=3,2=9": ["ndcg@all:gain=linear,gold=all,cut=k,gains=1:3/2:9"],
    "utility.2,-1,-0.5,0": ["set_utility:found=2,alarm=1,missed=0.5,rel=1"],
    "map_cut.3": ["map@3:denominator=R,cut=k,rel=1"],
}


@pytest.mark.parametrize("name", TREC_EVAL)
def test_names_of_trec_eval_with_parameters(name: str) -> None:
    trec_eval = assay.contract("trec_eval/10")
    names = trec_eval.expanded([name])
    assert names is not None
    assert [trec_eval.resolve(each).id.rpartition(",")[0] for each in names] == TREC_EVAL[name]


def test_nicknames_of_trec_eval() -> None:
    trec_eval = assay.contract("trec_eval/10")
    assert trec_eval.expanded(["all_trec"]) == tuple(trec_eval.names)
    assert trec_eval.expanded(["P"]) == tuple(f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000))
    official = trec_eval.expanded(["official"]) or ()
    assert len(official) == 4 + 5 + 11 + 9
    assert {"map", "iprec_at_recall_0.00", "P_1000"} <= set(official) <= set(trec_eval.names)
    assert set(trec_eval.expanded(["set"]) or ()) <= set(trec_eval.names)
    assert assay.contract("assay/1").expanded(["P"]) == ("P",)  # assay's own name


@pytest.mark.parametrize("name", ["utility.1,1,0,0", "utility.1,-1,0,1", "ndcg.0=1"])
def test_parameters_of_trec_eval_that_have_no_measure_are_refused(name: str) -> None:
    with pytest.raises(MeasureError):
        assay.contract("trec_eval/10").resolve(name)
