"""The oracle on a bundle worked out by hand: all agree, and each tampered digit shows."""

import json
from math import log2
from pathlib import Path
from typing import Any

import pytest

from assay_oracle.__main__ import main

from . import toy_bundle as toy

TOLERANCE = 1e-9


def recheck(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main(arguments) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return json.loads(captured.out)


def differing(findings: list[dict[str, Any]]) -> dict[str, tuple[Any, Any]]:
    """The findings whose numbers differ although the oracle could recompute them."""
    found = {}
    for one in findings:
        value, again = one["value"], one["recomputed"]
        if one["reason"] or value == again:
            continue
        if value is None or again is None or abs(value - again) > TOLERANCE:
            found[one["what"]] = (value, again)
    return found


def test_every_number_of_the_toy_bundle_is_recomputed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = recheck(capsys, str(toy.write(tmp_path)))
    assert differing(findings) == {}
    without = {one["what"]: one["reason"] for one in findings if one["reason"]}
    assert without == {
        f"counts/{name}": "only the original files can tell" for name in ("left_out", "excluded", "aside")
    }
    names = [one["what"] for one in findings]
    assert len(set(names)) == len(names)
    assert names[0] == "counts/queries"
    in_order = [
        "measures/recall@1/value",
        "measures/recall@1/spread/p75",
        "measures/auroc/value",
        "measures/deployed/exact/post_low",
        "groups/criterion_id/2/recall@1/n",
        "thresholds/1/value",
        "selected_k/state=NEG/0",
        "per_query/threshold_tune",
        "per_query/recall@1",
        "candidates/grade",
        "candidates/returned",
    ]
    assert [name for name in names if name in in_order] == in_order


def tampered(path: str, value: Any) -> dict[str, Any]:
    """The master file with the number at the path exchanged; measures are named."""
    content = toy.master()
    content["measures"] = {one["name"]: one for one in content["measures"]}
    place: Any = content
    *above, last = path.split("/")
    for step in above:
        place = place[int(step) if isinstance(place, list) else step]
    assert last in place or value != 0
    place[last] = value
    content["measures"] = list(content["measures"].values())
    return content


@pytest.mark.parametrize(
    ("path", "value", "recomputed"),
    [
        ("counts/queries", 5, 4),
        ("counts/evidence", 3, 2),
        ("counts/missing", 0, 1),
        ("counts/candidates", 7, 6),
        ("counts/resorted", 0, 1),
        ("measures/recall@1/value", 0.7500001, 0.75),
        ("measures/recall@1/pooled", 0.76, 0.75),
        ("measures/recall@1/n", 3, 2),
        ("measures/recall@1/tie_sensitive", 0, 1),
        ("measures/recall@1/spread/std", 0.35, 0.125**0.5),
        ("measures/recall@1/spread/p25", 0.62, 0.625),
        ("measures/recall@1/folds/values/b", 0.9, 1.0),
        ("measures/recall@1/folds/values/c", 0.9, None),
        ("measures/recall@1/folds/mean", 0.9, 0.75),
        ("measures/recall@1/folds/std", 0.25, 0.125**0.5),  # with n in the place of n − 1
        ("measures/filled/by_convention/the query has no gold", 1, 2),
        ("measures/filled/by_convention/nothing was ranked", 1, None),
        ("measures/ndcg/pooled", 0.8, (1 / (1 + 1 / log2(3)) + 1) / 2),
        ("measures/auroc/value", 1.0, 0.75),
        ("measures/deployed/exact/low", 0.0127, 1 - 0.975**0.5),
        ("measures/deployed/exact/post_high", 0.98, 0.975**0.5),
        ("measures/deployed/exact/hits", 2, 1),
        ("measures/deployed/exact/trials", 4, 2),
        ("measures/deployed/exact/units", 1.0, 2.0),
        ("measures/ppv/folds/by_convention", 0, 1),
        ("groups/criterion_id/1/recall@1/value", 0.5, 0.75),
        ("groups/criterion_id/2/recall@1/n", 1, 0),
        ("thresholds/0/value", 0.75, 0.25),
        ("thresholds/0/reached", 0.75, 0.8),
        ("thresholds/0/positives", 3, 2),
        ("thresholds/0/posts", 3, 2),
        ("thresholds/1/value", 0.5, None),  # +inf
        ("thresholds/1/queries", 2, 1),
        ("selected_k/all/0", 3, 2),
        ("selected_k/has_evidence=1/3", 1, None),
    ],
)
def test_a_tampered_number_shows_and_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, value: float, recomputed: float | None
) -> None:
    folder = toy.write(tmp_path, {"metrics_master.json": tampered(path, value)})
    found = differing(recheck(capsys, str(folder)))
    expected = None if recomputed is None else pytest.approx(recomputed, abs=1e-12)
    assert found == {path: (value, expected)}


def field(name: str, row: int, column: str, value: Any) -> dict[str, Any]:
    contents = {
        "per_query.csv": toy.PER_QUERY,
        "candidates.csv.gz": toy.CANDIDATES,
        "gold.csv": toy.GOLD,
        "tune.csv": toy.TUNE,
    }
    return {name: toy.with_field(contents[name], row, column, value)}


@pytest.mark.parametrize(
    ("name", "row", "column", "value", "expected"),
    [
        ("per_query.csv", 1, "n", 4, {"per_query/n": (4, 3)}),
        ("per_query.csv", 3, "gold", 2, {"per_query/gold": (2, 1)}),
        ("per_query.csv", 4, "has_evidence", 1, {"per_query/has_evidence": (1, 0)}),
        ("per_query.csv", 4, "answered", 1, {"per_query/answered": (1, 0)}),
        ("per_query.csv", 1, "recall@1", 0.51, {"per_query/recall@1": (0.51, 0.5)}),
        ("per_query.csv", 3, "recall@1", "", {"per_query/recall@1": (None, 1.0)}),
        ("per_query.csv", 2, "recall@1", 0.0, {"per_query/recall@1": (0.0, None)}),
        ("per_query.csv", 2, "threshold_f1", 0.5, {"per_query/threshold_f1": (0.5, 0.25)}),
        ("per_query.csv", 1, "threshold_tune", "inf", {"per_query/threshold_tune": (None, 0.25)}),
        ("per_query.csv", 3, "threshold_f1", 0.5, {"per_query/threshold_f1": (0.5, None)}),
        ("candidates.csv.gz", 3, "grade", 1, {"candidates/grade": (1, None)}),
        ("candidates.csv.gz", 1, "grade", "", {"candidates/grade": (None, 1)}),
        ("candidates.csv.gz", 5, "returned", 1, {"candidates/returned": (1, 0)}),
        # The gold of Q1 is another item: its values, and what follows from them, are 0.
        (
            "gold.csv",
            5,
            "item",
            "y",
            {
                "candidates/grade": (1, None),
                "per_query/ndcg": (1.0, 0.0),
                "measures/recall@1/pooled": (0.75, 0.25),
            },
        ),
        # A label of TUNE: no threshold of fold a has an F1 above 2/(1 + 1), at .75.
        (
            "tune.csv",
            3,
            "label",
            0,
            {
                "thresholds/0/value": (0.25, 0.75),
                "thresholds/0/positives": (2, 1),
                "thresholds/0/reached": (0.8, 1.0),
            },
        ),
    ],
)
def test_a_tampered_field_shows(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    row: int,
    column: str,
    value: Any,
    expected: dict[str, tuple[Any, Any]],
) -> None:
    found = differing(recheck(capsys, str(toy.write(tmp_path, field(name, row, column, value)))))
    assert found.items() >= expected.items()
    if name in ("per_query.csv", "candidates.csv.gz"):
        assert found.keys() == expected.keys()


def test_an_order_of_candidates_that_changes_a_tie_changes_the_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    swapped = [toy.CANDIDATES[i] for i in (0, 3, 2, 1, 4, 5, 6)]  # y before x
    found = differing(recheck(capsys, str(toy.write(tmp_path, {"candidates.csv.gz": swapped}))))
    assert found["measures/recall@1/folds/values/a"] == (0.5, 0.0)
    assert found["candidates/returned"] in ((1, 0), (0, 1))


def test_ties_by_docno_and_depth_are_the_contract_s(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = toy.master()
    content["contract"] |= {"ties": "docno_desc", "depth": 1}
    folder = toy.write(tmp_path, {"metrics_master.json": content})
    found = differing(recheck(capsys, str(folder)))
    assert found["measures/recall@1/folds/values/a"] == (0.5, 0.0)  # y is above x
    assert found["measures/recall@1/tie_sensitive"] == (1, 0)  # and alone after the cut
    assert found["counts/candidates"] == (6, 3)
    assert found["per_query/n"] == (3, 1)
    assert "counts/resorted" not in found


def test_plain_queries_are_their_own_posts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def joined(lines: toy.Lines) -> toy.Lines:
        return [["query_id", *lines[0][2:]], *([a + b, *rest] for a, b, *rest in lines[1:])]

    content = toy.master()
    content |= {"keys": ["query_id"], "groups": {}}
    bounds = next(one["exact"] for one in content["measures"] if one["name"] == "negative")
    bounds |= {"units": 4.0, "post_low": bounds["low"], "post_high": bounds["high"]}
    tables = {"per_query.csv": toy.PER_QUERY, "candidates.csv.gz": toy.CANDIDATES, "gold.csv": toy.GOLD}
    changed = {name: joined(lines) for name, lines in tables.items()}
    folder = toy.write(tmp_path, {**changed, "metrics_master.json": content})
    assert differing(recheck(capsys, str(folder))) == {}


def test_plain_decisions_have_no_rankings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = toy.master()
    wanted = ("auroc", "tuned")
    content["measures"] = [one for one in content["measures"] if one["name"] in wanted]
    content |= {"groups": {}, "selected_k": {}}
    content["counts"] |= {"missing": 0, "candidates": 0, "resorted": 0}
    per_query = [line[:12] for line in toy.PER_QUERY]
    for line, gold in zip(per_query[1:], (1, 0, 1, 0), strict=True):
        line[3:6] = [1, 0, gold]
    gold_lines = [toy.GOLD[0], ["P", "1", "evidence", 1], ["Q", "1", "evidence", 1]]
    folder = toy.write(
        tmp_path,
        {
            "metrics_master.json": content,
            "per_query.csv": per_query,
            "candidates.csv.gz": toy.CANDIDATES[:1],
            "gold.csv": gold_lines,
        },
    )
    findings = recheck(capsys, str(folder))
    assert differing(findings) == {}
    untold = {one["what"] for one in findings if one["reason"]}
    assert untold >= {"counts/missing", "per_query/answered"}


def test_what_cannot_be_recomputed_has_its_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = toy.master()
    content["measures"][0]["definition"] = "recal@1:on=all"
    content["measures"][3]["tie_sensitive"] = 0
    content["measures"][3]["exact"] = toy.exact()
    content["thresholds"][0]["rule"] = "youden"
    folder = toy.write(tmp_path, {"metrics_master.json": content})
    findings = {one["what"]: one for one in recheck(capsys, str(folder))}
    for what, words in {
        "measures/recall@1/value": "no measure is named 'recal'",
        "groups/criterion_id/1/recall@1/value": "no measure is named 'recal'",
        "measures/auroc/tie_sensitive": "no values per query",
        "measures/auroc/exact/low": "not a rate of queries",
        "thresholds/0/value": "rule is 'youden'",
    }.items():
        assert findings[what]["recomputed"] is None
        assert words in findings[what]["reason"]


DUPLICATE = [*toy.PER_QUERY, toy.PER_QUERY[1]]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"metrics_master.json": None}, "metrics_master.json: the file is missing"),
        ({"metrics_master.json": []}, "metrics_master.json: it is []; expected an object"),
        ({"metrics_master.json": {"contract": {"ties": "random"}}}, "contract/ties: it is 'random'"),
        ({"metrics_master.json": tampered("measures/auroc/value", float("nan"))}, "is NaN; numbers"),
        ({"metrics_master.json": tampered("measures/auroc/value", "1")}, "measures/auroc/value: it"),
        ({"metrics_master.json": tampered("contract/depth", 0)}, "contract/depth: it is 0; expected"),
        ({"per_query.csv": None}, "per_query.csv: the file is missing"),
        ({"per_query.csv": []}, "per_query.csv: it is empty; expected a header"),
        ({"per_query.csv": [line[1:] for line in toy.PER_QUERY]}, "the column post_id is missing"),
        ({"per_query.csv": [[*line, line[0]] for line in toy.PER_QUERY]}, "post_id appears twice"),
        ({"per_query.csv": DUPLICATE}, "per_query.csv row 5: the query of post_id P, criterion_id 1"),
        ({"per_query.csv": [*toy.PER_QUERY, ["P"]]}, "per_query.csv row 5: it has 1 fields; expected"),
        (field("per_query.csv", 2, "prob", "0,5"), "per_query.csv row 2: prob is '0,5'; expected"),
        (field("per_query.csv", 2, "prob", "nan"), "per_query.csv row 2: prob is 'nan'; expected"),
        (field("per_query.csv", 2, "state", "neg"), "row 2: state is 'neg'; expected one of NEG"),
        (field("per_query.csv", 2, "selected_k", -1), "row 2: selected_k is '-1'; expected a whole"),
        (field("per_query.csv", 1, "ndcg", "1_0"), "per_query.csv row 1: ndcg is '1_0'; expected"),
        (field("candidates.csv.gz", 2, "score", "inf"), "candidates.csv.gz row 2: score is 'inf'"),
        (field("candidates.csv.gz", 2, "score", ""), "candidates.csv.gz row 2: score is ''"),
        (field("candidates.csv.gz", 2, "post_id", "Z"), "candidates.csv.gz row 2: the query Z, 2 is"),
        (field("candidates.csv.gz", 4, "item", "y"), "the item 'y' appears twice under one query"),
        (field("candidates.csv.gz", 4, "returned", 2), "row 4: returned is '2'; expected 0 or 1"),
        (field("gold.csv", 2, "item", "x"), "gold.csv row 2: the item 'x' appears twice"),
        (field("gold.csv", 2, "grade", "high"), "gold.csv row 2: grade is 'high'; expected a finite"),
        (field("tune.csv", 4, "label", "yes"), "tune.csv row 4: label is 'yes'; expected 0 or 1"),
        ({"tune.csv": None}, "tune.csv: the file is missing"),
    ],
)
def test_a_fault_of_a_file_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changed: dict[str, Any], words: str
) -> None:
    assert main([str(toy.write(tmp_path, changed))]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert captured.err.startswith("assay_oracle: ")
    assert captured.err.count("\n") == 1


def test_other_faults_of_the_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, content in {
        "candidates.csv.gz": b"no gzip",
        "gold.csv": b"\xff\xfe",
        "metrics_master.json": b'{"keys": 1, "keys": 2}',
    }.items():
        folder = toy.write(tmp_path / name.replace(".", "_"))
        (folder / name).write_bytes(content)
        assert main([str(folder)]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith(f"assay_oracle: {name}: ")
