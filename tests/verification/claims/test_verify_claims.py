"""Foreign per-query tables: values from outside, claims under other definitions, faults."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest
import pytrec_eval
from sklearn.metrics import average_precision_score, brier_score_loss, f1_score, roc_auc_score

import assay
from assay.errors import InputError
from assay.verification.claims import verify_claims as module
from assay.verification.claims.claim_report import MATCH, NONE, OTHER, UNKNOWN
from assay.verification.claims.second_values import second_values
from tests.command import exit_code


def queries(n: int = 50, seed: int = 5) -> list[dict[str, Any]]:
    """Return queries with ranked ids, a third of them without gold."""
    rng = Random(seed)
    rows = []
    for at in range(n):
        ranked = [f"d{each}" for each in rng.sample(range(60), 12)]
        gold = rng.sample(ranked, rng.choice((1, 2))) + ["missed"] * (at % 5 == 0) if at % 3 else []
        rows.append(
            {
                "query_id": f"q{at}",
                "gold_ids": gold,
                "ranked_ids": ranked,
                "prob": round(min(1.0, max(0.0, rng.gauss(0.6 if gold else 0.4, 0.2))), 4),
                "selected_k": rng.choice((0, 3)),
            }
        )
    return rows


def joined(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {key: "|".join(each) if isinstance(each, list) else each for key, each in row.items()}
            for row in rows
        ]
    )


@pytest.fixture
def table(tmp_path: Path) -> Path:
    joined(queries()).write_csv(tmp_path / "results.csv")
    return tmp_path / "results.csv"


def theirs(rows: list[dict[str, Any]], measure: str, key: str) -> list[float]:
    """Return pytrec_eval's values of the queries with gold."""
    with_gold = [row for row in rows if row["gold_ids"]]
    qrels = {row["query_id"]: dict.fromkeys(row["gold_ids"], 1) for row in with_gold}
    run = {
        row["query_id"]: {each: -float(at) for at, each in enumerate(row["ranked_ids"])} for row in with_gold
    }
    found = pytrec_eval.RelevanceEvaluator(qrels, {measure}).evaluate(run)
    return [found[row["query_id"]][key] for row in with_gold]


def test_values_are_those_of_other_tools_by_both_implementations(table: Path) -> None:
    rows, report = queries(), assay.verify_claims(table)
    values = {each.name: each for each in report.values}
    assert values["ndcg@10"].value == pytest.approx(np.mean(theirs(rows, "ndcg_cut.10", "ndcg_cut_10")))
    assert values["mrr"].value == pytest.approx(np.mean(theirs(rows, "recip_rank", "recip_rank")))
    label, prob = [bool(row["gold_ids"]) for row in rows], [row["prob"] for row in rows]
    assert values["auroc"].value == pytest.approx(roc_auc_score(label, prob))
    assert values["auprc"].value == pytest.approx(average_precision_score(label, prob))
    assert values["brier"].value == pytest.approx(brier_score_loss(label, prob))
    assert all(each.agrees for each in report.values)
    assert report.ok
    assert values["ndcg@10"].definition == "ndcg@10:gain=linear,gold=all,cut=k,on=evidence"
    assert report.absent["neg_rate"] == "the table has no column for state"


def shaped(tmp_path: Path) -> dict[str, Any]:
    """The same table in every accepted form."""
    rows, frame = queries(), joined(queries())
    frame.write_csv(tmp_path / "semicolon.csv", separator=";")
    frame.write_csv(tmp_path / "tab.tsv", separator="\t")
    pl.DataFrame(rows).write_parquet(tmp_path / "lists.parquet")
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    as_json = [{**row, "gold_ids": json.dumps(row["gold_ids"])} for row in rows]
    as_python = [
        {**row, "gold_ids": str(row["gold_ids"]), "ranked_ids": str(row["ranked_ids"])} for row in rows
    ]
    named = frame.rename({"gold_ids": "truth", "ranked_ids": "found"})
    return {
        "semicolon": tmp_path / "semicolon.csv",
        "tab": tmp_path / "tab.tsv",
        "parquet": tmp_path / "lists.parquet",
        "jsonl": tmp_path / "rows.jsonl",
        "frame": frame,
        "pandas": frame.to_pandas(),
        "json lists": joined(as_json),
        "python lists": as_python,
        "named": named,
    }


FORMS = ["semicolon", "tab", "parquet", "jsonl", "frame", "pandas", "json lists", "python lists", "named"]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_table_gives_the_same_values(
    tmp_path: Path, table: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "second_values", lambda given, contract, ids: {})
    columns = {"gold": "truth", "ranked": "found"} if form == "named" else None
    made = assay.verify_claims(shaped(tmp_path)[form], columns=columns)
    expected = assay.verify_claims(table)
    assert [(each.definition, each.value) for each in made.values] == [
        (each.definition, each.value) for each in expected.values
    ]


def test_a_claim_over_all_queries_is_named(table: Path) -> None:
    rows = queries()
    average = theirs(rows, "map", "map")  # 12 candidates: the cut at 20 changes nothing
    over_all = sum(average) / len(rows)
    report = assay.verify_claims(table, {"MAP@20": round(over_all, 4)})
    (claim,) = report.claims
    assert claim.verdict == OTHER
    assert claim.definition == "map@20:denominator=min_r_k,cut=k,rel=1,on=all"
    assert "over all queries, those without evidence as 0, not over queries with evidence" in claim.why
    assert report.ok


def printed(values: dict[str, float], digits: int) -> dict[str, Callable[[Path], Path]]:
    """Ways to print values."""

    def text(name: str, made: str) -> Callable[[Path], Path]:
        def write(folder: Path) -> Path:
            (folder / name).write_text(made, encoding="utf-8")
            return folder / name

        return write

    shown = {name: f"{value:.{digits}f}" for name, value in values.items()}
    percent = {name: f"{100 * value:.{digits}f}" for name, value in values.items()}
    cells = "".join(f"| {name} | {value} |\n" for name, value in shown.items())
    return {
        "markdown": text("t.md", f"| measure | value |\n|---|---|\n{cells}"),
        "csv": text("t.csv", f"model,{','.join(shown)}\nours,{','.join(shown.values())}\n"),
        "percent": text("p.csv", f"model,{','.join(percent)}\nours,{','.join(percent.values())}\n"),
        "json": text("m.json", json.dumps({name: float(value) for name, value in shown.items()})),
        "nested": text("n.json", json.dumps({"test": {name: float(each) for name, each in shown.items()}})),
        "latex": text(
            "t.tex",
            "\\begin{tabular}{l"
            + "c" * len(shown)
            + "}\nModel & "
            + " & ".join(shown)
            + " \\\\\nours & "
            + " & ".join(shown.values())
            + " \\\\\n\\end{tabular}\n",
        ),
    }


@pytest.mark.parametrize("form", ["markdown", "csv", "percent", "json", "nested", "latex"])
@pytest.mark.parametrize("digits", [2, 4])
def test_printed_values_match_at_their_rounding(
    tmp_path: Path, table: Path, form: str, digits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "second_values", lambda given, contract, ids: {})
    rows = queries()
    label, prob = [bool(row["gold_ids"]) for row in rows], [row["prob"] for row in rows]
    values = {
        "nDCG@10": float(np.mean(theirs(rows, "ndcg_cut.10", "ndcg_cut_10"))),
        "Recall@5": float(np.mean(theirs(rows, "recall.5", "recall_5"))),
        "AUROC": float(roc_auc_score(label, prob)),
        "F1": float(f1_score(label, [each >= 0.5 for each in prob])),
    }
    claims = printed(values, digits)[form](tmp_path)
    report = assay.verify_claims(table, claims)
    assert [each.verdict for each in report.claims] == [MATCH] * 4
    wrong = printed({**values, "AUROC": values["AUROC"] + 0.02}, digits)[form](tmp_path)
    assert [each.label for each in assay.verify_claims(table, wrong).unmatched] == ["AUROC"]


def test_exit_codes(
    tmp_path: Path, table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = queries()
    mean = float(np.mean(theirs(rows, "ndcg_cut.10", "ndcg_cut_10")))
    claims = tmp_path / "metrics.json"
    claims.write_text(json.dumps({"ndcg@10": round(mean, 3)}), encoding="utf-8")
    assert exit_code(monkeypatch, "verify", "--per-query", table, "--claims", claims) == 0
    assert "1 as defined in assay/1, 0 by another definition, 0 by none" in capsys.readouterr().out
    claims.write_text(json.dumps({"ndcg@10": round(mean + 0.1, 3)}), encoding="utf-8")
    assert exit_code(monkeypatch, "verify", "--per-query", table, "--claims", claims, "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert document["claims"][0]["verdict"] == NONE
    assert document["ok"] is False
    assert exit_code(monkeypatch, "verify", "--per-query", tmp_path / "absent.csv") == 2
    assert exit_code(monkeypatch, "verify", "--per-query", table, "--gold", "nope") == 2
    said = capsys.readouterr().err
    assert "no column 'nope'; name the gold column with --gold (columns: query_id, gold_ids" in said
    assert exit_code(monkeypatch, "verify") == 2
    assert exit_code(monkeypatch, "verify", table, "--per-query", table) == 2
    capsys.readouterr()


def test_columns_of_measures_are_compared_query_by_query(table: Path) -> None:
    rows = queries()
    values = iter(theirs(rows, "ndcg_cut.10", "ndcg_cut_10"))
    column = [round(next(values), 4) if row["gold_ids"] else None for row in rows]
    frame = joined(rows).with_columns(pl.Series("ndcg@10", column))
    (claim,) = assay.verify_claims(frame).claims
    assert (claim.verdict, claim.per_query) == (MATCH, True)
    column[4] = 0.1234
    report = assay.verify_claims(frame.with_columns(pl.Series("ndcg@10", column)))
    assert report.claims[0].verdict == NONE
    assert report.claims[0].why == "1 of 50 queries differ: 'q4'"
    assert not report.ok


def test_labels_alone_give_what_they_can() -> None:
    rows = [
        {"id": row["query_id"], "has_evidence": str(bool(row["gold_ids"])), "p": row["prob"]}
        for row in queries()
    ]
    report = assay.verify_claims(rows, {"AUROC": 0.5, "nDCG@10": 0.5})
    assert [each.verdict for each in report.claims] == [NONE, UNKNOWN]
    assert report.absent["ndcg@10"] == "the table has no column for ranked and gold"
    with pytest.raises(InputError, match="no claim can be compared"):
        assay.verify_claims(rows, {"nDCG@10": 0.5})


def test_the_system_of_the_claims_must_be_named(tmp_path: Path, table: Path) -> None:
    mean = float(np.mean(theirs(queries(), "recip_rank", "recip_rank")))
    claims = tmp_path / "t.csv"
    claims.write_text(f"model,MRR,Hit@12\nours,{mean:.3f},1\nBM25,0.123,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="has values of 2 systems"):
        assay.verify_claims(table, claims)
    assert assay.verify_claims(table, claims, system="ours").ok
    assert not assay.verify_claims(table, claims, system="BM25").ok


def test_implementations_that_differ_are_reported(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    again = second_values

    def wrong(given: Any, contract: Any, ids: Any) -> dict[str, float | None]:
        return {**again(given, contract, ids), "auroc:on=all": 0.25}

    monkeypatch.setattr(module, "second_values", wrong)
    report = assay.verify_claims(table)
    assert [each.definition for each in report.disagreements] == ["auroc:on=all"]
    assert not report.ok


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"prob": 1.5}, "row 3: prob is 1.5; expected a number in [0, 1]"),
        ({"ranked_ids": "a|b|a"}, "row 3: ranked_ids is 'a|b|a'; expected each id once"),
        ({"selected_k": 99}, "row 3: selected_k is 99; expected a whole number from 0 to 12"),
        ({"query_id": "q0"}, "row 3: query 'q0' is that of row 1 too"),
        ({"gold_ids": {"x": 1}}, "row 3: gold_ids is {'x': 1}; expected ids joined by |, or a JSON list"),
    ],
)
def test_faults_have_a_row(change: dict[str, Any], expected: str) -> None:
    rows = queries(6)
    rows[2] |= change
    with pytest.raises(InputError) as error:
        assay.verify_claims(rows)
    assert expected in str(error.value)


@pytest.mark.parametrize("separator", ["|", ";", ",", " ", " | ", ", "])
def test_ids_may_be_joined_by_other_separators(separator: str) -> None:
    """A list joined by commas was one id: nothing was found, and every value was 0."""
    rows = [
        {
            "query_id": row["query_id"],
            **{name: separator.join(row[name]) for name in ("gold_ids", "ranked_ids")},
        }
        for row in queries()
    ]
    first = theirs(queries(), "recip_rank", "recip_rank")
    report = assay.verify_claims(rows, {"MRR": round(float(np.mean(first)), 6)})
    assert [each.verdict for each in report.claims] == [MATCH]


def test_gold_that_is_joined_in_another_way_than_the_ranking_is_refused() -> None:
    rows = [{"query_id": "q1", "gold_ids": "a,b", "ranked_ids": "a|b|c"}]
    with pytest.raises(InputError, match=r"gold_ids is 'a,b'; expected ids joined as those of the ranking"):
        assay.verify_claims(rows, {"MRR": 1.0})


def test_a_hit_rate_is_not_taken_for_a_recall() -> None:
    """Of the chosen contract, the first measure by name was taken: recall@1."""
    rows = [{"query_id": "q1", "gold_ids": "a|b", "ranked_ids": "a|b|c"}]
    claims = assay.verify_claims(rows, {"Hit@1": 1.0, "Recall@1": 0.5}).claims
    assert [(each.verdict, each.definition) for each in claims] == [
        (MATCH, "hit@1:rel=1,on=evidence"),
        (MATCH, "recall@1:gold=all,rel=1,on=evidence"),
    ]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("prob", "٠.٩"),
        ("prob", "0.1_5"),
        ("prob", True),
        ("selected_k", "٢"),
        ("selected_k", "0_1"),
        ("selected_k", True),
        ("query_id", True),
        ("query_id", float("nan")),
        ("query_id", ["a"]),
    ],
)
def test_a_value_is_not_read_as_another(tmp_path: Path, column: str, value: Any) -> None:
    """`float` takes digits of every script, underscores and true."""
    rows = queries(4)
    rows[2][column] = value
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match=f"line 3: {column} is "):
        assay.verify_claims(path)


def test_an_id_is_the_same_as_a_whole_number_and_as_a_float() -> None:
    rows = queries(3)
    for row, name in zip(rows, (1, 2.0, 1.0), strict=True):
        row["query_id"] = name
    with pytest.raises(InputError, match="query '1' is that of row 1 too"):
        assay.verify_claims(rows)


@pytest.mark.parametrize("written", ["comma", "{:.1f}%", "{:.1f} %", "comma percent"])
def test_probabilities_as_spreadsheets_write_them(written: str, tmp_path: Path) -> None:
    """Tables of labels took them, per-query tables did not."""
    rows = [{**row, "prob": round(row["prob"], 3)} for row in queries()]
    expected = roc_auc_score([bool(row["gold_ids"]) for row in rows], [row["prob"] for row in rows])

    def text(prob: float) -> str:
        if written == "comma percent":
            return f"{100 * prob:.1f}%".replace(".", ",")
        return f"{prob:.3f}".replace(".", ",") if written == "comma" else written.format(100 * prob)

    lines = ["query_id;gold_ids;ranked_ids;prob"]
    for row in rows:
        ids = ("|".join(row[each]) for each in ("gold_ids", "ranked_ids"))
        lines.append(";".join((str(row["query_id"]), *ids, text(row["prob"]))))
    (tmp_path / "t.csv").write_text("\n".join(lines))
    report = assay.verify_claims(tmp_path / "t.csv", claims={"AUROC": expected})
    assert [claim.verdict for claim in report.claims] == [MATCH]
    (tmp_path / "t.csv").write_text("\n".join(lines).replace(text(rows[0]["prob"]), "1,5"))
    with pytest.raises(InputError, match="prob is '1,5'; expected a number in"):
        assay.verify_claims(tmp_path / "t.csv")


@pytest.mark.parametrize("data", [b"\xff", b"\xc3U\xab\x0c\n", b"qid;gold\nq1;\xe9\n"])
def test_a_table_that_is_not_utf8(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "results.csv"
    path.write_bytes(data)
    with pytest.raises(InputError, match="is not UTF-8"):
        assay.verify_claims(path)


@pytest.mark.parametrize(
    ("gold", "none"),
    [
        ("{'b'}", "set()"),
        ("frozenset({'b'})", "frozenset()"),
        ("('b',)", "()"),
        ("b", "nan"),
        ("b", "None"),
        ("b", "N/A"),
    ],
)
def test_what_python_and_pandas_print_for_ids_and_for_none(gold: str, none: str, tmp_path: Path) -> None:
    """Sets were one long id, and `nan` was an id: every claim about them matched nothing. MRR: 1/2."""
    rows = [("q1", gold, "a|b", 0.9), ("q2", none, "c|a", 0.2), ("q3", "", "d", 0.1)]
    path = tmp_path / "table.csv"
    frame = pl.DataFrame(rows, schema=["query_id", "gold_ids", "ranked_ids", "prob"], orient="row")
    frame.write_csv(path)
    report = assay.verify_claims(path, {"MRR": 0.5, "AUROC": 1.0})
    assert [each.verdict for each in report.claims] == [MATCH, MATCH]
    said = none in ("nan", "None", "N/A")
    assert report.said_none == said
    assert ("1 query has a word such as nan for gold: read as no evidence." in str(report)) == said


def test_a_word_that_is_ranked_is_an_id() -> None:
    rows = [{"id": 1, "gold": "None", "ranked": "a|None"}, {"id": 2, "gold": "a", "ranked": "a|b"}]
    report = assay.verify_claims(rows, {"MRR": 0.75})
    assert (report.claims[0].verdict, report.said_none) == (MATCH, 0)


def test_a_set_is_no_ranking() -> None:
    rows = [{"id": 1, "gold": "{'a'}", "ranked": "{'a', 'b'}"}]
    with pytest.raises(InputError, match="expected a list, best first; a set has no order"):
        assay.verify_claims(rows, {"MRR": 0.75})
