"""Names of ir_measures give ir_measures' values, from `evaluate` and through the provider."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.compat import ir_measures as ours

from .judged_runs import REAL, Grades, Scores, generated, judged_run, real

PYTREC_EVAL = (
    "nDCG@10", "nDCG", "NDCG@5", "AP", "AP@100", "AP(rel=2)@10", "MAP", "MAP@3", "P@5", "Precision@10",
    "P(rel=2)@3", "RR", "MRR", "RR(rel=2)", "R@100", "Recall@5", "R(rel=2)@10", "Success@5", "Success(rel=2)@1",
    "Rprec", "RPrec", "Rprec(rel=2)", "Bpref", "BPref", "Bpref(rel=2)", "SetP", "SetP(rel=2)", "SetR",
    "SetR(rel=2)", "SetF", "SetF(beta=2.0)", "SetF(rel=2)", "SetAP", "SetAP(rel=2)", "infAP", "infAP(rel=2)",
    "NumRet", "NumRet(rel=2)", "NumRelRet", "NumRel",
    "NumQ", "IPrec@0.1", "IPrec@0.25", "IPrec(rel=2)@0.5", "P(cutoff=7)",
)  # fmt: skip
"""Names that ir_measures computes with pytrec_eval."""
RECORDED_TOO = (
    "ERR@20", "RBP(p=0.8,rel=1)", "SetRelP", "Compat(p=0.8)", "BPM(T=1.0,max_rel=1)@10", "SDCG(max_rel=1)@10",
    "INSQ(max_rel=1)", "INST(max_rel=1)", "NERR8(max_rel=1)@10", "NERR9(max_rel=1)@10", "NERR10(max_rel=1)",
    "NERR11(max_rel=1)", "Accuracy@10",
)  # fmt: skip
"""Names whose values tests/outside compares with recorded ones."""
OTHERS = {"RR@10": "msmarco", "RR(rel=2)@3": "msmarco", "Judged@10": "judged", "Judged": "judged"}
"""Names that it computes with other providers, whose order of ties is another."""


def close(value: object) -> Any:
    return pytest.approx(value, abs=1e-9)


def calculated(
    grades: Grades, scores: Scores, names: dict[str, str], chosen: Any = None
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Aggregated values by name, and values by name and query; of a provider, or of each name's own."""
    parsed = {name: ir_measures.parse_measure(name) for name in names}
    aggregated: dict[Any, float] = {}
    queries: dict[Any, dict[str, float]] = {}
    for provider in dict.fromkeys(names.values()):
        measures = {parsed[name] for name, own in names.items() if own == provider}
        found = (chosen or ir_measures.providers.registry[provider]).calc(measures, grades, scores)
        aggregated |= found.aggregated
        for each in found.per_query:
            queries.setdefault(each.measure, {})[each.query_id] = each.value
    return {name: aggregated[parsed[name]] for name in names}, {name: queries[parsed[name]] for name in names}


def same_as_evaluate(grades: Grades, scores: Scores, names: dict[str, str]) -> None:
    """Mean and every query, under trec_eval's contract with all queries of the qrels."""
    result = assay.evaluate(
        judged_run(grades, scores), contract="trec_eval/10", complete=True, measures=list(names)
    )
    mine = {row["query_id"]: row for row in result.per_query().iter_rows(named=True)}
    aggregated, queries = calculated(grades, scores, names)
    for name, values in queries.items():
        if name not in ("NumQ", "NumRel"):  # with `complete`, queries that the run lacks count too
            assert result[name].value == close(aggregated[name]), name
        if name != "NumQ":  # no value per query
            answered = {q: value for q, value in values.items() if q in scores or name != "NumRel"}
            assert {query: mine[query][name] for query in answered} == close(answered), name


def same_as_provider(grades: Grades, scores: Scores, names: dict[str, str]) -> None:
    """Everything that ir_measures returns, through its own interface."""
    theirs, mine = (calculated(grades, scores, names, each) for each in (None, ours.provider))
    for name in names:
        assert mine[0][name] == close(theirs[0][name]), name
        assert mine[1][name] == close(theirs[1][name]), name


@pytest.mark.parametrize("name", [name for name in REAL if name != "rutcor03100"])
def test_real_runs(shared: Path, name: str) -> None:
    grades, scores = real(shared, name)
    names = dict.fromkeys(PYTREC_EVAL, "pytrec_eval")
    same_as_evaluate(grades, scores, names)
    same_as_provider(grades, scores, names)


def judged(grades: Grades) -> Grades:
    """Without queries whose judgements are all negative, for which pytrec_eval reads unset memory."""
    return {query: row for query, row in grades.items() if max(row.values()) >= 0}


@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1))
def test_generated_runs_with_ties(seed: int) -> None:
    grades, scores = generated(seed)
    grades, scores = judged(grades | {"q0": {"d0": 1}}), {query: row for query, row in scores.items() if row}
    names = dict.fromkeys(PYTREC_EVAL, "pytrec_eval")
    same_as_provider(grades, scores, names)
    same_as_evaluate(grades, scores, names)


@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1))
def test_generated_runs_of_other_providers(seed: int) -> None:
    grades, scores = generated(seed, ties=False)
    scores = {query: row for query, row in scores.items() if row}
    # the provider of Judged takes negative grades for judgements; trec_eval and assay do not
    grades = {query: {item: max(grade, 0) for item, grade in row.items()} for query, row in grades.items()}
    same_as_evaluate(grades, scores, OTHERS)
    same_as_provider(grades, scores, OTHERS)


@pytest.mark.parametrize(
    "contract", ["assay/1", "evidence/1.0.0", "paper/1.0", "e2e/1.0", "ir/1", "bundle/3.0"]
)
def test_every_contract_gives_the_values_of_queries(contract: str) -> None:
    """Without ties, and on queries that every population has, the values are ir_measures'."""
    for seed in range(2):
        grades, scores = generated(seed, ties=False)
        names = [name for name in PYTREC_EVAL if not name.startswith("Num")]
        result = assay.evaluate(judged_run(grades, scores), contract=contract, measures=names)
        mine = {row["query_id"]: row for row in result.per_query().iter_rows(named=True)}
        measures = {ir_measures.parse_measure(name): name for name in names}
        compared = 0
        for each in ir_measures.pytrec_eval.iter_calc(list(measures), grades, scores):
            spelled = measures[each.measure]
            if scores.get(each.query_id) and max(grades[each.query_id].values()) > 0:
                compared += 1
                assert mine[each.query_id][spelled] == close(each.value), spelled
        assert compared > 30


def test_the_provider_in_the_default_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = ir_measures.DefaultPipeline.providers
    monkeypatch.setattr(ir_measures.DefaultPipeline, "providers", [*chain])
    ours.use()
    ours.use()
    assert ir_measures.DefaultPipeline.providers == [ours.provider, *chain]
    grades, scores = generated(1)
    measures = [ir_measures.nDCG @ 10, ir_measures.SetP(relative=True)]
    assert all(ours.provider.supports(each) for each in measures)
    assert not ours.provider.supports(ir_measures.Accuracy @ 10)
    found = ir_measures.calc_aggregate(measures, grades, scores)
    assert found == close(ir_measures.pytrec_eval.calc_aggregate(measures, grades, scores))


def test_every_measure_of_ir_measures_is_accepted_or_refused_with_a_reason() -> None:
    """No name of ir_measures is unknown: it has a value or a sentence with the nearest measure."""
    accepted = {ir_measures.parse_measure(name).NAME for name in (*PYTREC_EVAL, *OTHERS, *RECORDED_TOO)}
    contract = assay.contract("assay/1")
    for name, measure in ir_measures.measures.registry.items():
        required = {key for key, each in measure.SUPPORTED_PARAMS.items() if each.required}
        keywords = ",".join(f"{key}=1" for key in required if key == "max_rel")
        text = f"{name}({keywords})" if keywords else name
        text = f"{text}@10" if measure.AT_PARAM in required else text
        if measure.NAME in accepted:
            text = f"{name}@0.1" if name == "IPrec" else f"{name}@20" if name == "ERR" else text
            assert contract.read(text).note, text
        else:
            with pytest.raises(assay.MeasureError, match=r"ir_measures.*assay does not have it\. Nearest: "):
                contract.read(text)


def test_objects_of_ir_measures_are_names() -> None:
    """`measures=[nDCG@10]` is what its users type."""
    qrels, run = {"q": {"a": 2, "b": 0, "c": 1}}, {"q": {"b": 0.9, "a": 0.5, "c": 0.1}}
    objects = [ir_measures.nDCG @ 10, ir_measures.P(rel=2) @ 2, ir_measures.AP]
    found = assay.evaluate(run, qrels=qrels, measures=objects)
    wanted = ir_measures.calc_aggregate(objects, qrels, run)
    assert {name: float(value) for name, value in found.items()} == pytest.approx(
        {str(each): value for each, value in wanted.items()}
    )
    assert list(assay.compare(run, run, qrels=qrels, measures=ir_measures.AP)) == ["AP"]
