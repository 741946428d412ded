"""trec_eval's own expected output, reproduced to its four decimals, per query and in the mean."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay_oracle import Outcome, Query, evaluate, evaluate_groups

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "trec" / "trec_eval"

NEED = "round"  # how trec_eval 10 counts the hits that a recall level needs

# trec_eval's name -> definition id; {k} is the number in the name, {rel} the -l of the call.
DEFINITIONS = {
    r"num_q": "num_q:on={on}",
    r"num_ret": "num_ret:on={on}",
    r"num_rel": "num_rel:rel={rel},on={on}",
    r"num_rel_ret": "num_rel_ret:rel={rel},on={on}",
    r"num_nonrel_judged_ret": "num_nonrel_judged_ret:rel={rel},on={on}",
    r"map": "map@all:denominator=R,cut=k,rel={rel},on={on}",
    r"map_cut_(\d+)": "map@{k}:denominator=R,cut=k,rel={rel},on={on}",
    r"gm_map": "gm_map:floor=0.00001,rel={rel},on={on}",
    r"Rprec": "rprec:rel={rel},on={on}",
    r"bpref": "bpref:rel={rel},on={on}",
    r"recip_rank": "mrr:rel={rel},on={on}",
    r"iprec_at_recall_([\d.]+)": "iprec@{k}:need={need},rel={rel},on={on}",
    r"11pt_avg": "iprec_avg:need={need},rel={rel},on={on}",
    r"P_(\d+)": "precision@{k}:denominator=k,rel={rel},on={on}",
    r"relative_P_(\d+)": "precision@{k}:denominator=min_r_k,rel={rel},on={on}",
    r"recall_(\d+)": "recall@{k}:gold=all,rel={rel},on={on}",
    r"success_(\d+)": "hit@{k}:rel={rel},on={on}",
    r"ndcg": "ndcg@all:gain=linear,gold=all,cut=k,on={on}",
    r"ndcg_cut_(\d+)": "ndcg@{k}:gain=linear,gold=all,cut=k,on={on}",
    r"set_P": "set_precision:rel={rel},on={on}",
    r"set_recall": "set_recall:rel={rel},on={on}",
    r"set_F": "set_f:beta=1,rel={rel},on={on}",
    r"set_map": "set_map:rel={rel},on={on}",
    r"set_relative_P": "set_relative_precision:rel={rel},on={on}",
    r"utility": "set_utility:found=1,alarm=1,missed=0,rel={rel},on={on}",
    r"utility_(\d+),-1,0,0": "set_utility:found={k},alarm=1,missed=0,rel={rel},on={on}",
    r"infAP": "inf_ap:epsilon=0.00001,rel={rel},on={on}",
    r"gm_bpref": "gm_bpref:floor=0.00001,rel={rel},on={on}",
    r"Rprec_mult_([\d.]+)": "rprec_mult:times={k},rel={rel},on={on}",
    r"G": "normalised_gain:on={on}",
    r"binG": "binary_gain:rel={rel},on={on}",
    r"ndcg_rel": "ndcg_rel:on={on}",
    r"Rndcg": "rndcg:rel={rel},on={on}",
    r"rbp": "rbp:p=0.9,rel={rel},on={on}",
    r"rbp_resid": "rbp_resid:p=0.9,on={on}",
    r"unj_(\d+)": "unjudged@{k}:denominator=k,on={on}",
}
# What trec_eval prints too, and this package has no measure for.
NOT_OURS = re.compile(r"runid|relstring.*|ndcg_1=.*|11pt_avg_.*")
# trec_eval's rbp weighs an item by its grade / the query's highest grade and ignores -l; only
# query 301 of qrels.rel_level has several grades. See test_graded_rbp_of_trec_eval.
GRADED_RBP = {("rbp:p=0.9,rel=2,on=predicted", query) for query in ("301", "all")}
# With -c, a query without a list has a residual of 0 in trec_eval, and of 1 here: nothing was seen.
NO_LIST = {("rbp_resid:p=0.9,on=all", query) for query in ("302", "all")}


@dataclass(frozen=True)
class Run:
    """One call of trec_eval: its inputs, its options in our words, and what it printed."""

    output: str
    qrels: str
    results: str
    on: str
    rel: int = 1
    depth: int | None = None


RUNS = [
    Run("out.test", "qrels.test", "results.test", on="predicted"),
    Run("out.test.a", "qrels.test", "results.test", on="predicted"),
    Run("out.test.aq", "qrels.test", "results.test", on="predicted"),
    Run("out.test.meas_params", "qrels.test", "results.test", on="predicted"),
    Run("out.test.aqc", "qrels.test", "results.trunc", on="all"),
    Run("out.test.aqcM", "qrels.test", "results.trunc", on="all", depth=100),
    Run("out.test.aql", "qrels.rel_level", "results.test", on="predicted", rel=2),
]


def read(name: str) -> list[list[str]]:
    """The blank-separated fields of each line of a file."""
    if not FOLDER.is_dir():
        reason = f"trec_eval's test data is not there: {FOLDER}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return [line.split() for line in (FOLDER / name).read_text().splitlines()]


def definition_of(name: str, run: Run) -> str | None:
    """The definition id of a printed measure, None for one that is not ours."""
    for pattern, definition in DEFINITIONS.items():
        if found := re.fullmatch(pattern, name):
            k = found[1] if found.groups() else ""
            return definition.format(k=k, rel=run.rel, on=run.on, need=NEED)
    assert NOT_OURS.fullmatch(name), f"{name} is neither in DEFINITIONS nor in NOT_OURS"
    return None


def same(outcome: Outcome, printed: str) -> bool:
    """Whether a value prints as trec_eval printed it; counts are whole numbers there."""
    return printed == (f"{outcome.value:.4f}" if "." in printed else f"{outcome.value:.0f}")


def outcomes_of(run: Run, definitions: list[str]) -> dict[str, dict[str, Outcome]]:
    """The outcomes of each query alone, and under `all` those of the whole run."""
    judgements = [(row[0], row[2], float(row[3])) for row in read(run.qrels)]
    candidates = [(row[0], row[2], float(row[4])) for row in read(run.results)]
    queries = [Query(name) for name in dict.fromkeys(row[0] for row in judgements)]
    data = (queries, judgements, candidates, definitions)
    whole = evaluate(*data, ties="docno_desc", depth=run.depth)
    alone = evaluate_groups(*data, by=lambda query: query.id, ties="docno_desc", depth=run.depth)
    return {"all": whole} | {str(query): outcomes for query, outcomes in alone.items()}


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.output)
def test_expected_output(run: Run) -> None:
    printed = {
        (definition, query): text
        for name, query, text in (row[:3] for row in read(run.output))
        if (definition := definition_of(name, run)) is not None
    }
    outcomes = outcomes_of(run, sorted({definition for definition, _ in printed}))
    wrong = {
        (definition, query): (outcomes[query][definition].value, text)
        for (definition, query), text in printed.items()
        if (definition, query) not in GRADED_RBP | NO_LIST and not same(outcomes[query][definition], text)
    }
    assert len(printed) > 20
    assert wrong == {}


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.output)
def test_per_query_values_are_those_of_the_query_alone(run: Run) -> None:
    names = {row[0] for row in read(run.output)}
    definitions = [text for name in sorted(names) if (text := definition_of(name, run)) is not None]
    outcomes = outcomes_of(run, definitions)
    for definition, outcome in outcomes.pop("all").items():
        for query, value in (outcome.per_query or {}).items():
            assert outcomes[query][definition].value == value


def test_graded_rbp_of_trec_eval() -> None:
    # Sum of grade · p^(rank − 1) is the sum over the levels 1 to 4 of the binary sums; 4 is the
    # highest grade of query 301.
    run = RUNS[-1]
    printed = {row[1]: row[2] for row in read(run.output) if row[0] == "rbp"}
    levels = [f"rbp:p=0.9,rel={level},on=all" for level in (1, 2, 3, 4)]
    values = [outcome.value or 0.0 for outcome in outcomes_of(run, levels)["301"].values()]
    assert f"{sum(values) / 4:.4f}" == printed["301"]
