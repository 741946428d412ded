"""trec_eval's own expected outputs, with the options that gave each file."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.evaluation.result import Result

# trec_eval measures that assay does not have, and those that the contract leaves out with a reason
# (rbp, rbp_resid); every other printed name must be compared.
NOT_OURS = ("runid", "rbp", "relstring", "11pt_avg_", "ndcg_1=")

FILES = {
    "out.test": ("qrels.test", "results.test", {}),
    "out.test.a": ("qrels.test", "results.test", {}),
    "out.test.aq": ("qrels.test", "results.test", {}),
    "out.test.aqc": ("qrels.test", "results.trunc", {"complete": True}),
    "out.test.aqcM": ("qrels.test", "results.trunc", {"complete": True, "depth": 100}),
    "out.test.aql": ("qrels.rel_level", "results.test", {"level": 2}),
    "out.test.meas_params": ("qrels.test", "results.test", {}),
}
EXTRA = {
    "out.test.meas_params": [
        "P_3",
        "P_7",
        "recall_2000",
        "ndcg_cut_23",
        "success_2",
        "success_20",
        "iprec_at_recall_0.25",
        "iprec_at_recall_0.75",
        "Rprec_mult_0.35",
        "Rprec_mult_5.00",
        "utility_2,-1,0,0",
    ]
}
DEFINITIONS = {
    "success_2": "hit@2:on=predicted",
    "success_20": "hit@20:on=predicted",
    "iprec_at_recall_0.25": "iprec@0.25:need=round,on=predicted",
    "iprec_at_recall_0.75": "iprec@0.75:need=round,on=predicted",
    "utility_2,-1,0,0": "set_utility:found=2,alarm=1,on=predicted",
}


def test_no_name_of_the_contract_is_left_out_of_the_comparison() -> None:
    """The prefixes must not hide one of ours."""
    named = assay.contract("trec_eval/10").names
    assert [name for name in named if name.startswith(NOT_OURS)] == []


def expected(path: Path) -> dict[tuple[str, str], float]:
    rows = (line.split() for line in path.read_text().splitlines())
    return {(name, query): float(value) for name, query, value in rows if not name.startswith(NOT_OURS)}


def values(result: Result, names: dict[str, str]) -> dict[tuple[str, str], float]:
    """Per query, and `all`."""
    found = {(names[each.name], "all"): each.value for each in result.measures}
    frame = result.per_query()
    for each in result.measures:
        if each.name in frame.columns:
            for query, value in frame.select("query_id", each.name).iter_rows():
                found[names[each.name], query] = value
    return found


@pytest.mark.parametrize("name", FILES)
def test_expected_output_is_reproduced(shared: Path, name: str) -> None:
    folder = shared / "trec" / "trec_eval"
    qrels, run, options = FILES[name]
    wanted = expected(folder / name)
    measures = None
    if name in EXTRA:
        base = list(assay.contract("trec_eval/10").names)
        measures = [*base, *(DEFINITIONS.get(each, each) for each in EXTRA[name])]
    judged = assay.read_trec(folder / qrels, folder / run)
    result = assay.evaluate(judged, contract="trec_eval/10", measures=measures, **options)  # type: ignore[arg-type]
    names = {each.name: each.name for each in result.measures}
    names |= {definition: trec for trec, definition in DEFINITIONS.items() if definition in names}
    found = values(result, names)
    for (measure, query), value in wanted.items():
        assert found[measure, query] == pytest.approx(value, abs=5.0001e-5), (measure, query)
    assert len(wanted) >= 20


@pytest.mark.parametrize("name", ["rbp", "rbp_resid"])
def test_rbp_is_left_out_with_the_reason(shared: Path, name: str) -> None:
    """trec_eval's own value depends on uninitialised memory: there is nothing to match."""
    folder = shared / "trec" / "trec_eval"
    judged = assay.read_trec(folder / "qrels.test", folder / "results.test")
    with pytest.raises(assay.MeasureError, match=rf"has no {name}: .*uninitialised"):
        assay.evaluate(judged, contract="trec_eval/10", measures=[name])
    spelled = "rbp:p=0.9,rel=1,on=predicted"
    assert assay.evaluate(judged, contract="trec_eval/10", measures=[spelled])[spelled].n > 0


def test_cacm_precision_at_30_as_published(shared: Path) -> None:
    folder = shared / "trec" / "cacm"
    judged = assay.read_trec(folder / "qrels.cacm.txt", folder / "cacm-bm25.txt")
    result = assay.evaluate(judged, contract="trec_eval/10")
    assert result["P_30"].value == pytest.approx(0.1942, abs=5e-5)
    assert result["P_30"].n == 52
    assert result.counts.left_out == 12


@pytest.mark.parametrize("tied", [False, True])
def test_a_bundle_keeps_candidates_that_were_pooled_and_not_judged(tmp_path: Path, tied: bool) -> None:
    """infAP counts them; every other measure takes them for unjudged."""
    grades = {"v": 1, "w": -1, "x": 0, "y": 2, "z": -1}
    scores = {item: 1.0 if tied else float(at) for at, item in enumerate("uvwxyz")}
    made = assay.evaluate({"q": scores}, qrels={"q": grades}, contract="trec_eval/10")
    assert assay.verify(made.save(tmp_path / "bundle"), draws=2).ok
    without = {item: grade for item, grade in grades.items() if grade >= 0}
    other = assay.evaluate({"q": scores}, qrels={"q": without}, contract="trec_eval/10")
    assert {name for name in made if made[name].value != other[name].value} == {"infAP"}
