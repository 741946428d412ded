"""How names of other tools are read under a contract, and what is said about it."""

from __future__ import annotations

import doctest
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest

import assay
from assay.contracts.contract_toml import SHIPPED, contract
from assay.contracts.name_reading import Reading
from assay.metrics.core.names.missing_measures import MISSING
from assay.metrics.core.names.spelling import POPULATIONS, Spelling
from assay.metrics.core.registry import FAMILIES
from assay.verification.lint.contract_names import _spelled as with_definitions
from assay.verification.lint.names.measure_names import Name
from tests.command import exit_code


def read(name: str, of: str = "assay/1") -> Reading:
    return contract(of).read(name)


@pytest.mark.parametrize(
    ("of", "name", "own", "definition"),
    [
        ("trec_eval/10", "map@10", "map_cut_10", "map@10:denominator=R,cut=k,rel=1,on=predicted"),
        ("trec_eval/10", "nDCG@10", "ndcg_cut_10", "ndcg@10:gain=linear,gold=all,cut=k,on=predicted"),
        ("trec_eval/10", "ndcg_cut.10", "ndcg_cut_10", "ndcg@10:gain=linear,gold=all,cut=k,on=predicted"),
        ("trec_eval/10", "hit_rate@5", "success_5", "hit@5:rel=1,on=predicted"),
        ("trec_eval/10", "hit@5", "success_5", "hit@5:rel=1,on=predicted"),
        ("trec_eval/10", "p_5", "P_5", "precision@5:denominator=k,rel=1,on=predicted"),
        ("trec_eval/10", "RR@10", None, "mrr@10:rel=1,on=predicted"),
        ("trec_eval/10", "IPrec@0.1", None, "iprec@0.10:need=trec9,rel=1,on=predicted"),
        ("assay/1", "nDCG@10", "ndcg@10", "ndcg@10:gain=linear,gold=all,cut=k,on=evidence"),
        ("assay/1", "map@10", "map@10", "map@10:denominator=min_r_k,cut=k,rel=1,on=evidence"),
        ("assay/1", "Map@10", "map@10", "map@10:denominator=min_r_k,cut=k,rel=1,on=evidence"),
        ("assay/1", "MAP@10", None, "map@10:denominator=R,cut=k,rel=1,on=evidence"),
        ("assay/1", "AP", None, "map@all:denominator=R,cut=k,rel=1,on=evidence"),
        ("assay/1", "map@100-l2", None, "map@100:denominator=R,cut=k,rel=2,on=evidence"),
        ("assay/1", "rbp.95", None, "rbp:p=0.95,rel=1,gain=graded,on=evidence"),
        ("assay/1", "rbp.80-l2", None, "rbp:p=0.80,rel=2,gain=graded,on=evidence"),
        ("assay/1", "RBP(p=0.8,rel=1)", None, "rbp:p=0.8,rel=1,on=evidence"),
        ("assay/1", "ERR@20", None, "err@20:gmax=4,on=evidence"),
        ("assay/1", "ndcg_burges@10", None, "ndcg@10:gain=exponential,gold=all,cut=k,on=evidence"),
        ("assay/1", "f1@10", None, "f@10:beta=1,rel=1,on=evidence"),
        ("assay/1", "ROC_AUC_score", "auroc", "auroc:on=all"),
        ("assay/1", "ECE", "ece", "ece:bins=10,on=all"),
        ("assay/1", "F1", "f1", "f1:at=0.5,on=all"),
        ("e2e/1.0", "nDCG@10", None, "ndcg@10:gain=linear,gold=all,cut=k,on=evidence"),
        (
            "e2e/1.0",
            "nDCG(dcg='exp-log2')@10",
            "ndcg@10",
            "ndcg@10:gain=exponential,gold=all,cut=k,on=evidence",
        ),
        ("e2e/1.0", "f1_score", None, "f1:at=0.5,on=all"),
        ("paper/1.0", "R@5", "all_queries/recall@5", "recall@5:gold=all,rel=1,on=all"),
        ("paper/1.0", "roc_auc", None, "auroc:on=all"),
        ("ir/1", "P@5", "precision@5", "precision@5:denominator=k,rel=1,on=predicted"),
    ],
)
def test_a_name_means_the_formula_of_its_tool_on_the_contracts_queries(
    of: str, name: str, own: str | None, definition: str
) -> None:
    found = read(name, of)
    assert (found.own, found.metric.id) == (own, definition)
    assert contract(of).resolve(name).id == definition


def test_a_note_says_the_definition_and_how_the_tools_differ() -> None:
    assert read("ndcg@10").note == ""
    assert read("nDCG@10", "trec_eval/10").note == (
        "nDCG@10 is ndcg_cut_10 of trec_eval/10: ndcg@10:gain=linear,gold=all,cut=k,on=predicted; "
        "in ir_measures and ranx on=all."
    )
    assert read("AP@10").note == (
        "AP@10 is map@10:denominator=R,cut=k,rel=1,on=evidence; in ir_measures on=all; "
        "map@10 of assay/1 has denominator=min_r_k."
    )
    assert read("roc_auc").note == "roc_auc is auroc of assay/1: auroc:on=all."
    assert "f1 of e2e/1.0 has at=tune" in read("f1_score", "e2e/1.0").note


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "neg_brier_score",
            "scikit-learn.*assay does not have it.*brier_score_loss, the same number without",
        ),
        ("log_loss", "scikit-learn.*brier_score_loss"),
        ("cohen_kappa_score", "scikit-learn.*matthews_corrcoef"),
        ("hits@5", "ranx.*precision@5"),
        ("hits@100", r"precision@100, .* hit_rate@100, whether"),
        ("dcg@20", r"ndcg@20 or ndcg_burges@20"),
        ("recall", "ambiguous: set_recall.* in ranx, sensitivity.* in scikit-learn.*recall@10"),
        ("ndcg@10-l2", r"another form: .* or ndcg\[@k\] \(ranx\)"),
        ("precision", r"ranx, ppv\S* in scikit-learn \(precision_score\); spell"),
        ("f1_macro", "scikit-learn.*f1_score, precision_score and recall_score, of the positive class"),
        ("recall_macro", "scikit-learn.*balanced_accuracy, equal to it where both classes occur"),
        ("auc", r"did you mean auroc \(Area under the ROC curve\)\?"),
        ("TPR", r"did you mean sensitivity\?"),
        ("macro_f", r"did you mean macro_f1 \(Macro F1 over posts\)\?"),
        ("P", r"another form: P@k \(ir_measures\) or P_k \(trec_eval\)"),
        ("AP(2)@10", "expected keywords"),
        ("AP(rel=open('x'))@10", "expected keywords"),
        ("AP(rel='high')", "another form"),
        ("AP(rel=1is 2)", "expected keywords"),
        ("AP(rel=1,rel=2)", "expected keywords"),
        ("AP" + "(" * 90 + ")" * 90, "expected keywords"),
        ("A" * 300, "no measure is called"),
        ("AP(rel=0)", "rel=0"),
        ("P@0", "whole number from 1"),
    ],
)
def test_what_assay_lacks_is_refused_with_the_tool_and_the_nearest_measure(name: str, words: str) -> None:
    with pytest.raises(assay.MeasureError, match=words):
        read(name)


SPELLINGS = [
    ("Hit-Rate@5", "hit_rate@5"),
    ("hitrate@10", "hit_rate@10"),
    ("hit rate@1", "hit_rate@1"),
    ("nDCG@ 10", "nDCG@10"),
    ("ndcg_at_10", "ndcg@10"),
    ("Recall at 100", "Recall@100"),
    ("R-Precision", "r-precision"),
    ("R_Prec", "rprec"),
    ("nDCG@10(dcg='exp-log2')", "nDCG(dcg='exp-log2')@10"),
    ("f1-score", "f1_score"),
    ("Balanced Accuracy", "balanced_accuracy"),
    ("average-precision", "average_precision"),
    ("RocAuc", "roc_auc"),
]


@pytest.mark.parametrize(("name", "usual"), SPELLINGS)
@pytest.mark.parametrize("of", ["assay/1", "trec_eval/10", "paper/1.0"])
def test_blanks_hyphens_and_underscores_do_not_matter(name: str, usual: str, of: str) -> None:
    meant = read(usual, of)
    found = read(name, of)
    assert (found.metric.id, found.own) == (meant.metric.id, meant.own)
    assert found.note.startswith(f"{name} is ")
    assert found.metric.id in found.note
    assert assay.metric(name).id == assay.metric(usual).id


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ndcg10", r"no measure is called 'ndcg10'; did you mean ndcg@10\?"),
        ("MRR10", r"did you mean MRR@10\?"),
        ("hits at 5", "hits@5.*ranx.*precision@5"),
        ("pr-auc", r"did you mean auprc"),
    ],
)
def test_a_guess_is_not_taken(name: str, words: str) -> None:
    with pytest.raises(assay.MeasureError, match=words):
        read(name)


def test_a_name_that_the_contract_lacks_says_so_in_any_case() -> None:
    """It was `no measure is called 'AUROC'; did you mean auroc`, which was refused too."""
    with pytest.raises(assay.MeasureError, match=r"trec_eval/10 has no auroc; .* spell it: auroc:on=all"):
        read("AUROC", "trec_eval/10")


@pytest.mark.parametrize("of", ["assay/1", "trec_eval/10"])
def test_several_cut_offs_after_one_at(of: str) -> None:
    qrels, run = {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}
    result = assay.evaluate(run, qrels=qrels, measures=["P@1,2", "nDCG@2"], contract=of)
    assert [(name, result[name].value) for name in ("P@1", "P@2")] == [("P@1", 1.0), ("P@2", 0.5)]


def test_nicknames_of_trec_eval_need_its_contract() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 3}}
    with pytest.raises(assay.MeasureError, match=r"official is trec_eval's name .* contract trec_eval/10"):
        assay.evaluate(run, qrels=qrels, measures="official")
    assert "map" in assay.evaluate(run, qrels=qrels, measures="official", contract="trec_eval/10")


@pytest.mark.parametrize("of", SHIPPED)
def test_own_names_of_every_contract_mean_what_they_meant(of: str) -> None:
    made = contract(of)
    for name, definition in made.names.items():
        assert made.resolve(name).id == assay.metric(definition).id
        assert made.read(name) == Reading(assay.metric(definition), name)


def test_an_option_applies_to_a_name_with_a_colon() -> None:
    """`complete` was refused although it changed the measure: the name was taken for a definition id."""
    name = "nDCG(gains={0:0,1:1,2:3})@10"
    result = assay.evaluate(
        {"q1": {"a": 1.0}},
        qrels={"q1": {"a": 2}, "q2": {"b": 1}},
        measures=[name],
        contract="trec_eval/10",
        complete=True,
    )
    assert (result[name].value, result[name].n) == (0.5, 2)


RANX = [  # by ranx 0.3.21
    ("ndcg@3", 0.398225601960),
    ("ndcg", 0.452385509681),
    ("ndcg_burges@3", 0.379364239887),
    ("hit_rate@1", 0.333333333333),
    ("hit_rate", 0.666666666667),
    ("map", 0.446296296296),
    ("map@2", 0.194444444444),
    ("map@3-l2", 0.222222222222),
    ("mrr", 0.500000000000),
    ("mrr@2-l2", 0.166666666667),
    ("precision@2", 0.333333333333),
    ("recall@2-l2", 0.333333333333),
    ("f1@2", 0.300000000000),
    ("r-precision", 0.388888888889),
    ("rbp.80", 0.398613333333),
    ("rbp.95", 0.135650208333),
    ("rbp.80-l2", 0.289280000000),
]


@pytest.mark.parametrize(("name", "value"), RANX)
def test_names_of_ranx_give_its_values(name: str, value: float) -> None:
    qrels = {"q1": {"a": 3, "b": 1, "c": 0, "d": 2}, "q2": {"a": 1, "e": 2}, "q3": {"f": 1}}
    run = {
        "q1": {"b": 9, "x": 8, "a": 7, "c": 6, "d": 5},
        "q2": {"x": 3, "e": 2, "a": 1},
        "q3": {"x": 2, "y": 1},
    }
    result = assay.evaluate(run, qrels=qrels, measures=name, contract="trec_eval/10", complete=True)
    assert result[name].value == pytest.approx(value, abs=1e-11)


def test_a_level_applies_to_names_of_other_tools() -> None:
    made = contract("trec_eval/10").changed(level=2, complete=True)
    assert made.resolve("P@5").id == "precision@5:denominator=k,rel=2,on=all"
    assert made.resolve("RR@10").id == "mrr@10:rel=2,on=all"
    assert made.resolve("AP(rel=1)").id == "map@all:denominator=R,cut=k,rel=1,on=all"


def test_every_spelling_is_read_and_none_is_listed_as_missing() -> None:
    missing = {name for each in MISSING for name in each.names}
    for family in FAMILIES.values():
        for spelling in (Spelling(*each) for each in family.spellings):
            assert spelling.tool in POPULATIONS
            for base, place in spelling.patterns():
                number = "0.10" if family.cut == "point" else "10"
                text = (
                    base
                    + {
                        "": "",
                        "@k": f"@{number}",
                        "[@k]": "",
                        "_k": f"_{number}",
                        "_x": "_0.35",
                        ".p": ".95",
                    }[place]
                )
                needed = "" if spelling.needs.startswith("!") else spelling.needs
                if needed:
                    name, at, cut = text.partition("@")
                    text = f"{name}({needed}={'True' if needed == 'relative' else 1}){at}{cut}"
                if base not in ("precision", "recall", "f1"):  # two tools, two measures
                    assert contract("bundle/3.0").resolve(text).name.partition("@")[0] == family.name
                # without the keyword that it needs, the name is another measure and may be missing
                assert spelling.needs or base not in missing


def test_lookups_accept_any_name_of_the_same_measure() -> None:
    qrels = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "rel": [1, 2]})
    judged = assay.read_trec(qrels, {"q": {"a": 2.0, "x": 1.0}})
    result = assay.evaluate(judged, measures=["nDCG@10", "AP", "precision@5"])
    assert list(result) == ["nDCG@10", "AP", "precision@5"]
    assert result["ndcg@10"] is result["nDCG@10"] is result["ndcg_cut_10"]
    assert result["P@5"] is result["precision@5"]
    assert result["map"] is result["AP"]
    with pytest.raises(assay.MeasureError, match="not a measure of this result"):
        result["R@100"]


@pytest.mark.parametrize(
    "name", ["compat.pytrec_eval", "compat.sklearn", "compat.gate_metrics", "evaluation.value_names"]
)
def test_examples_in_docstrings(name: str) -> None:
    outcome = doctest.testmod(import_module(f"assay.{name}"))
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_a_table_leaves_open_what_the_contract_does_not_define() -> None:
    """`assay lint --contract` takes definitions from the contract's own names only."""
    found = with_definitions(Name("precision", Fraction(5)), contract("e2e/1.0"))
    assert found.params == {}
    known = with_definitions(Name("precision", Fraction(5)), contract("assay/1"))
    assert known.params["denominator"] == "k"


def test_targets_of_the_contract_apply_to_other_names() -> None:
    frame = pl.DataFrame({"label": [1, 0, 0, 1], "prob": [0.9, 0.4, 0.6, 0.7]})
    table = assay.read_decisions(frame)
    result = assay.evaluate(
        table, measures=["roc_auc_score"], contract="assay/1"
    )  # named: judged by its targets
    own = assay.evaluate(table, measures=["auroc"], contract="assay/1")
    assert result["auroc"].target == own["auroc"].target
    assert result["auroc"].target is not None


def test_the_command_line_shows_which_definition_was_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def printed(*arguments: object) -> str:
        assert exit_code(monkeypatch, *arguments) == 0
        return capsys.readouterr().out

    qrels, run, second = (tmp_path / name for name in ("qrels.txt", "run.txt", "second.txt"))
    qrels.write_text("q1 0 a 1\nq2 0 b 1\n", encoding="utf-8")
    run.write_text("q1 Q0 a 1 2 s\nq2 Q0 c 1 2 s\nq2 Q0 b 2 1 s\n", encoding="utf-8")
    second.write_text("q1 Q0 a 1 2 s\nq2 Q0 b 1 2 s\n", encoding="utf-8")
    bundle = tmp_path / "bundle"
    table = printed("evaluate", "--qrels", qrels, "--run", run, "-m", "AP", "-m", "ndcg@10", "-o", bundle)
    assert "AP is map@all:denominator=R,cut=k,rel=1,on=evidence; in ir_measures on=all;" in table
    assert "ndcg@10 is" not in table
    assert "verified" in printed("verify", bundle)
    shown = printed("metric", "show", "AP@10", "--contract", "trec_eval/10")
    assert "map@10:denominator=R,cut=k,rel=1,on=predicted" in shown
    assert "map@10:denominator=R,cut=k,rel=1,on=all" in printed("metric", "show", "AP@10")
    compared = printed("compare", "--qrels", qrels, "--run", run, "--run", second, "-m", "AP")
    assert "AP is map@all:denominator=R" in compared
