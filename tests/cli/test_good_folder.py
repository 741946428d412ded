"""Good input of the folder form; every expected number was worked out by hand."""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Callable
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import assay

if TYPE_CHECKING:
    from tests.cli.conftest import Ran, World

Json = dict[str, Any]

L = 1 / log2(3)
# The six queries with evidence, in the order p1 A.1, p2 A.1, p2 A.2, p3 A.1, p4 A.1, p4 A.2.
BY_HAND = {
    "mrr": (1 / 2, 1, 0, 0, 1, 1 / 2),
    "mrr@1": (0, 1, 0, 0, 1, 0),
    "recall@1": (0, 1, 0, 0, 1 / 2, 0),
    "recall@3": (1, 1, 0, 0, 1, 1),
    "precision@3": (2 / 3, 1 / 3, 0, 0, 2 / 3, 1 / 3),
    "precision@10": (2 / 10, 1 / 10, 0, 0, 2 / 10, 1 / 10),
    "hit@1": (0, 1, 0, 0, 1, 0),
    "hit@3": (1, 1, 0, 0, 1, 1),
    "map@1": (0, 1, 0, 0, 1, 0),
    "map@3": ((1 / 2 + 2 / 3) / 2, 1, 0, 0, (1 + 2 / 3) / 2, 1 / 2),
    "ndcg@1": (0, 1, 0, 0, 1, 0),
    "ndcg@3": ((L + 1 / 2) / (1 + L), 1, 0, 0, (1 + 1 / 2) / (1 + L), L),
    "rprec": (1 / 2, 1, 0, 0, 1 / 2, 0),
}
POSTS = ("p1", "p2", "p2", "p3", "p4", "p4")
CRITERIA = ("A.1", "A.1", "A.2", "A.1", "A.1", "A.2")


def close(value: object) -> object:
    return pytest.approx(value, abs=1e-12)


def strict(text: str) -> Json:
    """JSON as the standard has it: NaN and Infinity are no part of it."""

    def refuse(constant: str) -> object:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def measures(document: Json) -> dict[str, Json]:
    return {value["name"]: value for value in document["measures"]}


def same(one: Any, other: Any) -> bool:
    """Equal, numbers to 1e-12."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float):
        return one == close(other)
    return bool(one == other)


def folds(world: World) -> None:
    pairs = {"p1": "a", "p2": "b", "p3": "b", "p4": "c"}
    world.corpus["folds"] = [{"post_id": post, "fold": fold} for post, fold in pairs.items()]


def test_values_by_hand(world: World) -> None:
    document = strict(world.evaluate("--json").ok().out)
    found = measures(document)
    for name, values in BY_HAND.items():
        assert found[name]["value"] == close(sum(values) / 6), name
        assert found[name]["aggregate"] == "pooled"
        assert found[name]["n"] == 6
        assert found[name]["spread"]["std"] == close(statistics.stdev(values))
        assert found[name]["spread"]["median"] == close(statistics.median(values))
        quarters = statistics.quantiles(values, n=4, method="inclusive")
        assert found[name]["spread"]["p25"] == close(quarters[0])
        assert found[name]["spread"]["p75"] == close(quarters[2])
    counts = document["counts"]
    assert (counts["queries"], counts["evidence"], counts["candidates"]) == (8, 6, 15)
    assert (counts["missing"], counts["left_out"], counts["excluded"]) == (1, 0, 0)
    assert document["system"] == "system"
    assert document["contract"] == "assay/1"


def test_values_of_decisions_by_hand(world: World) -> None:
    names = ("auroc:on=all", "evidence_recall:average=micro", "selected_k:stat=median")
    options = [word for name in names for word in ("--measure", name)]
    found = measures(strict(world.evaluate("--json", *options).ok().out))
    assert list(found) == list(names)
    # .8 .9 .3 .4 .7 .2 with evidence against .1 .6 without: 6 + 3 of 12 pairs
    assert found["auroc:on=all"]["value"] == close(9 / 12)
    assert found["evidence_recall:average=micro"]["value"] == close(5 / 8)
    assert found["selected_k:stat=median"]["value"] == close(1)


def test_decisions_are_optional_and_what_needs_them_is_named(world: World) -> None:
    del world.predictions["decisions"]
    document = strict(world.evaluate("--json", "-m", "auroc:on=all", "-m", "mrr").ok().out)
    assert list(measures(document)) == ["mrr"]
    assert "no decisions" in document["absent"]["auroc:on=all"]
    text = world.evaluate("-m", "auroc:on=all", "-m", "mrr").ok().out
    assert "auroc:on=all not available" in text
    only_absent = world.evaluate("-m", "auroc:on=all")
    assert only_absent.code in (0, 2)
    assert "auroc" in only_absent.out + only_absent.err


@pytest.mark.parametrize("ending", [".csv.gz", ".parquet"])
@pytest.mark.parametrize("with_folds", [False, True])
def test_formats_give_the_same_json(world: World, ending: str, with_folds: bool) -> None:
    if with_folds:
        folds(world)
    by = ("--json", "--by", "criterion_id", "--by", "state", "--by", "has_evidence")
    plain = world.evaluate(*by).ok().out
    other = world.evaluate(*by, ending=ending).ok().out
    assert strict(plain) == strict(other)


def test_a_mixed_folder(world: World) -> None:
    expected = world.evaluate("--json").ok().out
    predictions, corpus = world.write()
    packed, _ = world.write(".parquet")
    (predictions / "candidates.csv").unlink()
    (packed / "candidates.parquet").rename(predictions / "candidates.parquet")
    ran = world.call("evaluate", predictions, "--corpus", corpus, "--json").ok()
    assert strict(ran.out) == strict(expected)


def test_rows_in_any_order(world: World) -> None:
    folds(world)
    expected = strict(world.evaluate("--json", "--by", "criterion_id").ok().out)
    for seed in range(3):
        generator = random.Random(seed)
        for tables in (world.corpus, world.predictions):
            for table in tables.values():
                generator.shuffle(table)
        found = strict(world.evaluate("--json", "--by", "criterion_id").ok().out)
        found["counts"]["resorted"] = expected["counts"]["resorted"]
        assert same(found, expected)


def test_columns_in_any_order_and_blanks_in_the_header(world: World) -> None:
    expected = strict(world.evaluate("--json").ok().out)
    table = world.table("candidates")
    lines = [" score , sent_uid,note,criterion_id,post_id"]
    lines += [f"{r['score']},{r['sent_uid']},x,{r['criterion_id']},{r['post_id']}" for r in table]
    world.raw["candidates.csv"] = "\n".join(lines).encode()
    assert strict(world.evaluate("--json").ok().out) == expected


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.rstrip(b"\n"),
        lambda data: data + b"\n",
    ],
    ids=["CRLF", "byte order mark", "no last line break", "an empty last line"],
)
@pytest.mark.parametrize("table", ["candidates", "gold", "sentences"])
def test_csv_as_editors_and_spreadsheets_write_it(
    world: World, table: str, change: Callable[[bytes], bytes]
) -> None:
    expected = strict(world.evaluate("--json").ok().out)
    predictions, corpus = world.write()
    home = corpus if table in world.corpus else predictions
    world.raw[f"{table}.csv"] = change((home / f"{table}.csv").read_bytes())
    assert strict(world.evaluate("--json").ok().out) == expected


def test_line_breaks_inside_text(world: World) -> None:
    expected = strict(world.evaluate("--json").ok().out)
    world.put("sentences", 2, text='two\nlines, and a "quote"')
    assert strict(world.evaluate("--json").ok().out) == expected


def test_ids_are_text(world: World) -> None:
    """01 and 1 are two posts, in CSV as in Parquet."""
    world.corpus = {
        "sentences": [{"post_id": p, "sent_uid": s} for p in ("1", "01") for s in ("7", "07")],
        "criteria": [{"criterion_id": "1"}],
        "gold": [{"post_id": "01", "criterion_id": "1", "sent_uid": "07"}],
    }
    world.predictions = {
        "candidates": [
            {"post_id": "01", "criterion_id": "1", "sent_uid": "7", "score": 0.9},
            {"post_id": "01", "criterion_id": "1", "sent_uid": "07", "score": 0.8},
            {"post_id": "1", "criterion_id": "1", "sent_uid": "07", "score": 0.9},
        ]
    }
    for ending in (".csv", ".parquet"):
        found = measures(strict(world.evaluate("--json", ending=ending).ok().out))
        assert found["mrr"]["value"] == close(1 / 2)
        assert found["mrr"]["n"] == 1


def test_missing_queries_are_misses_and_are_shown(world: World) -> None:
    ran = world.evaluate().ok()
    assert "1 queries were not answered" in ran.out or "1 query was not answered" in ran.out
    world.predictions["candidates"] = [row for row in world.table("candidates") if row["post_id"] != "p4"]
    del world.predictions["decisions"]
    document = strict(world.evaluate("--json").ok().out)
    assert document["counts"]["missing"] == 3
    assert measures(document)["mrr"]["value"] == close((1 / 2 + 1) / 6)
    assert measures(document)["mrr"]["n"] == 6
    assert document["counts"]["missing_evidence"] == 3
    assert "3 queries were not answered: counted as missed." in world.evaluate().ok().out


def test_an_unanswered_query_without_evidence_is_no_miss(world: World) -> None:
    world.predictions["candidates"] = [
        row for row in world.table("candidates") if (row["post_id"], row["criterion_id"]) != ("p1", "A.2")
    ]
    ran = world.evaluate().ok()
    one_each = "2 queries were not answered: 1 with evidence, counted as missed; 1 without evidence."
    assert one_each in ran.out
    world.corpus["gold"] = [row for row in world.table("gold") if row["post_id"] != "p3"]
    none = "2 queries were not answered: no evidence there, so nothing was missed."
    assert none in world.evaluate().ok().out


def test_by_criterion(world: World) -> None:
    document = strict(world.evaluate("--json", "--by", "criterion_id").ok().out)
    groups = document["groups"]["criterion_id"]
    assert list(groups) == ["A.1", "A.2"]
    for name, values in BY_HAND.items():
        for criterion, row in groups.items():
            inside = [v for v, c in zip(values, CRITERIA, strict=True) if c == criterion]
            assert row[name]["value"] == close(statistics.fmean(inside))
            assert row[name]["n"] == len(inside)
    text = world.evaluate("--by", "criterion_id").ok().out
    assert "By criterion_id" in text
    assert any(line.split()[:2] == ["A.1", "4"] for line in text.splitlines())
    assert any(line.split()[:2] == ["A.2", "2"] for line in text.splitlines())


def test_by_any_column_of_queries(world: World) -> None:
    hard = {("p1", "A.1"), ("p2", "A.2"), ("p3", "A.2")}
    world.corpus["queries"] = [
        {"post_id": p, "criterion_id": c, "level": "hard" if (p, c) in hard else "easy"}
        for p in ("p4", "p3", "p2", "p1")
        for c in ("A.2", "A.1")
    ]
    document = strict(world.evaluate("--json", "--by", "level").ok().out)
    groups = document["groups"]["level"]
    assert groups["hard"]["mrr"]["value"] == close((1 / 2 + 0) / 2)
    assert groups["hard"]["mrr"]["n"] == 2
    assert groups["easy"]["mrr"]["value"] == close((1 + 0 + 1 + 1 / 2) / 4)
    assert groups["easy"]["mrr"]["n"] == 4
    assert same(measures(document), measures(strict(world.evaluate("--json").ok().out)))


def test_a_group_without_evidence_is_by_convention(world: World) -> None:
    document = strict(world.evaluate("--json", "--by", "has_evidence").ok().out)
    groups = document["groups"]["has_evidence"]
    assert groups["0"]["mrr"]["n"] == 0
    assert groups["0"]["mrr"]["convention"]
    assert groups["1"]["mrr"]["value"] == close(1 / 2)
    assert groups["1"]["mrr"]["convention"] is None


def test_a_query_table_limits_what_is_asked(world: World) -> None:
    world.corpus["queries"] = [
        {"post_id": post, "criterion_id": criterion} for post, criterion in zip(POSTS, CRITERIA, strict=True)
    ]
    for name in ("candidates", "decisions"):
        world.predictions[name] = [
            row
            for row in world.table(name)
            if (row["post_id"], row["criterion_id"]) in set(zip(POSTS, CRITERIA, strict=True))
        ]
    document = strict(world.evaluate("--json", "-m", "mrr:on=all", "-m", "mrr").ok().out)
    assert document["counts"]["queries"] == 6
    assert measures(document)["mrr:on=all"]["value"] == close(1 / 2)
    assert measures(document)["mrr"]["value"] == close(1 / 2)


def test_folds_by_hand(world: World) -> None:
    folds(world)
    found = measures(strict(world.evaluate("--json").ok().out))
    fold_of = {"p1": "a", "p2": "b", "p3": "b", "p4": "c"}
    for name, values in BY_HAND.items():
        inside: dict[str, list[float]] = {"a": [], "b": [], "c": []}
        for value, post in zip(values, POSTS, strict=True):
            inside[fold_of[post]].append(value)
        means = {fold: statistics.fmean(each) for fold, each in inside.items()}
        entry = found[name]
        assert entry["folds"]["values"] == close(means)
        assert entry["folds"]["mean"] == close(statistics.fmean(means.values()))
        assert entry["folds"]["std"] == close(statistics.stdev(means.values()))
        assert entry["value"] == entry["folds"]["mean"]
        assert entry["aggregate"] == "fold_mean"
        assert entry["pooled"] == close(sum(values) / 6)
    # mrr by hand: folds 1/2, 1/3, 3/4
    assert found["mrr"]["value"] == close(19 / 36)
    assert found["mrr"]["folds"]["std"] == close(
        ((1 / 36) ** 2 + (7 / 36) ** 2 + (8 / 36) ** 2) ** 0.5 / 2**0.5
    )
    text = world.evaluate("-m", "mrr").ok().out
    assert "0.5278 ± 0.210" in text


def test_one_fold_has_no_std(world: World) -> None:
    world.corpus["folds"] = [{"post_id": post, "fold": 0} for post in ("p1", "p2", "p3", "p4")]
    value = measures(strict(world.evaluate("--json", "-m", "mrr").ok().out))["mrr"]
    assert value["folds"]["std"] is None
    assert value["value"] == close(1 / 2)


def test_a_pooled_contract_keeps_the_pooled_headline(world: World) -> None:
    folds(world)
    found = measures(strict(world.evaluate("--json", "--contract", "paper/1.0").ok().out))
    assert found["mrr@10"]["aggregate"] == "pooled"
    assert found["mrr@10"]["value"] == close(1 / 2)
    assert found["all_queries/mrr@10"]["value"] == close(3 / 8)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_per_query_equals_the_api(world: World, ending: str) -> None:
    target = world.outputs / f"per_query.{ending}"
    world.evaluate("--per-query", str(target)).ok()
    predictions, corpus = world.write()
    frame = assay.evaluate(predictions, corpus).per_query()
    written = pl.read_csv(target, schema=frame.schema) if ending == "csv" else pl.read_parquet(target)
    assert_frame_equal(written, frame, check_exact=ending == "parquet", abs_tol=1e-15)
    assert [path.name for path in world.outputs.iterdir()] == [target.name]


def test_per_query_by_hand(world: World) -> None:
    target = world.outputs / "per_query.csv"
    target.write_text("old")
    world.evaluate("--per-query", str(target)).ok()
    frame = pl.read_csv(target)
    assert frame.height == 8
    assert set(frame.columns) >= {"post_id", "criterion_id", "has_evidence", "answered", "n"}
    rows = {(row["post_id"], row["criterion_id"]): row for row in frame.iter_rows(named=True)}
    for name, values in BY_HAND.items():
        for value, post, criterion in zip(values, POSTS, CRITERIA, strict=True):
            assert rows[post, criterion][name] == close(value)
    assert [row["n"] for row in rows.values()] == [4, 1, 2, 2, 0, 1, 3, 2]
    assert [key for key, row in rows.items() if not row["answered"]] == [("p3", "A.1")]
    assert [key for key, row in rows.items() if not row["has_evidence"]] == [("p1", "A.2"), ("p3", "A.2")]
    assert "text" not in frame.columns


def test_measure_picks_and_keeps_the_order(world: World) -> None:
    names = ["rprec", "recall@2", "ndcg@3", "map@3:denominator=R", "precision@3:denominator=k_eff"]
    options = [word for name in names for word in ("--measure", name)]
    document = strict(world.evaluate("--json", *options).ok().out)
    assert [value["name"] for value in document["measures"]] == names
    found = measures(document)
    assert found["recall@2"]["value"] == close((1 / 2 + 1 + 1 / 2 + 1) / 6)
    assert found["ndcg@3"]["value"] == close(sum(BY_HAND["ndcg@3"]) / 6)
    # k_eff = min(3, n): n = 4, 2, 2, 0, 3, 2
    k_eff = (2 / 3, 1 / 2, 0, 0, 2 / 3, 1 / 2)
    assert found["precision@3:denominator=k_eff"]["value"] == close(sum(k_eff) / 6)
    text = world.evaluate("-m", "rprec").ok().out
    assert "rprec" in text
    assert "ndcg" not in text


def test_other_cut_offs(world: World) -> None:
    document = strict(world.evaluate("--json", "--k", "2,7").ok().out)
    found = measures(document)
    assert {name for name in found if name.startswith("recall@")} == {"recall@2", "recall@7"}
    assert found["recall@2"]["value"] == close(3 / 6)
    assert document["contract"] == "assay/1+k=2/7"


def test_depth_looks_at_the_first_candidates_only(world: World) -> None:
    document = strict(world.evaluate("--json", "--depth", "1").ok().out)
    assert measures(document)["mrr"]["value"] == close(2 / 6)
    assert measures(document)["recall@20"]["value"] == close((1 + 1 / 2) / 6)


def test_grades_and_level(world: World) -> None:
    for at, row in enumerate(world.table("gold")):
        row["grade"] = 2 if at in (0, 4) else 1  # p1s1 of p1 A.1, p3s1 of p3 A.1
    found = measures(strict(world.evaluate("--json").ok().out))
    ndcg = ((2 * L + 1 / 2) / (2 + L), 1, 0, 0, (1 + 1 / 2) / (1 + L), L)
    assert found["ndcg@3"]["value"] == close(sum(ndcg) / 6)
    assert found["recall@3"]["value"] == close(4 / 6)
    found = measures(strict(world.evaluate("--json", "--level", "2").ok().out))
    assert found["recall@3"]["value"] * found["recall@3"]["n"] == close(1)


def test_grade_zero_is_judged_and_no_evidence(world: World) -> None:
    expected = measures(strict(world.evaluate("--json").ok().out))
    for row in world.table("gold"):
        row["grade"] = 1
    world.add("gold", post_id="p1", criterion_id="A.2", sent_uid="p1s1", grade=0)
    document = strict(world.evaluate("--json").ok().out)
    assert document["counts"]["evidence"] == 6
    assert same(measures(document), expected)


def test_excluded_criteria_are_counted(world: World) -> None:
    for table in ("criteria", "gold", "candidates", "decisions"):
        for row in world.table(table):
            if row["criterion_id"] == "A.2":
                row["criterion_id"] = "A.10"
    document = strict(world.evaluate("--json", "--contract", "bundle/3.0").ok().out)
    assert document["counts"]["queries"] == 4
    assert document["counts"]["excluded"] == 4
    assert measures(document)["mrr"]["value"] == close((1 / 2 + 1 + 0 + 1) / 4)
    text = world.evaluate("--contract", "bundle/3.0").ok().out
    assert "4 queries were excluded with their criteria" in text


def test_ties_keep_the_input_order_and_are_reported(world: World) -> None:
    world.put("candidates", 2, score=0.8)  # tied with the gold sentence behind it
    document = strict(world.evaluate("--json", "-m", "mrr").ok().out)
    assert measures(document)["mrr"]["value"] == close(1 / 2)
    assert measures(document)["mrr"]["tie_sensitive"] == 1
    assert "Tie order affects" in world.evaluate("-m", "mrr").ok().out


def test_several_systems_in_one_table(world: World, tmp_path: Path) -> None:
    first, corpus = world.write()
    other = world.copy()
    other.folder = tmp_path / "better"
    other.put("candidates", 3, score=0.95)  # p1 A.1: gold at ranks 1 and 3
    second, _ = other.write()
    second = second.rename(second.with_name("second"))
    target = world.outputs / "per_query.csv"
    ran = world.call("evaluate", first, second, "--corpus", corpus, "--per-query", target).ok()
    heads = [line for line in ran.out.splitlines() if "system" in line and "second" in line]
    assert len(heads) == 1
    line = next(line.split() for line in ran.out.splitlines() if line.startswith("mrr "))
    assert line[-2:] == ["0.5000", "0.5833◂"]
    documents = json.loads(world.call("evaluate", first, second, "--corpus", corpus, "--json").ok().out)
    assert [document["system"] for document in documents] == ["system", "second"]
    values = [measures(document)["mrr"]["value"] for document in documents]
    assert values == close([1 / 2, 3.5 / 6])
    frame = pl.read_csv(target)
    assert frame["system"].to_list() == ["system"] * 8 + ["second"] * 8
    assert frame["mrr"].sum() == close(3 + 3.5)


def test_systems_of_the_same_name_keep_apart(world: World, tmp_path: Path) -> None:
    first, corpus = world.write()
    other = world.copy()
    other.folder = tmp_path / "other"
    second, _ = other.write()
    documents = json.loads(world.call("evaluate", first, second, "--corpus", corpus, "--json").ok().out)
    assert [document["system"] for document in documents] == [str(first), str(second)]


@pytest.mark.parametrize(
    "contract", ["assay/1", "evidence/1.0.0", "paper/1.0", "e2e/1.0", "bundle/3.0", "ir/1", "trec_eval/10"]
)
def test_json_is_strict_under_every_contract(world: World, contract: str) -> None:
    by = ("--by", "state", "--by", "post_id", "--by", "has_evidence")
    document = strict(world.evaluate("--json", "--contract", contract, *by).ok().out)
    assert document["contract"] == contract
    assert document["measures"]
    assert len(document["contract_hash"]) == 64


@pytest.mark.parametrize("column", ["criterion_id", "state", "fold", "post_id", "has_evidence"])
def test_every_breakdown_is_printed_with_one_row_a_group(world: World, column: str) -> None:
    folds(world)
    document = strict(world.evaluate("--json", "--by", column).ok().out)
    printed = world.evaluate("--by", column).ok().out
    _, _, table = printed.partition(f"By {column}, on all queries")
    first = [line.split()[0] for line in table.split("\n\n")[0].splitlines()[3:]]
    labels = [label.split()[0] for label in document["groups"][column]]
    assert labels
    assert first[: len(labels)] == labels


def test_json_is_strict_where_nothing_has_evidence(world: World) -> None:
    for row in world.table("gold"):
        row["grade"] = 0
    folds(world)
    document = strict(world.evaluate("--json", "--by", "criterion_id").ok().out)
    assert document["counts"]["evidence"] == 0
    assert measures(document)["mrr"]["convention"]
    assert "*" in world.evaluate().ok().out


def test_a_contract_of_the_user(world: World) -> None:
    path = world.folder / "mine.toml"
    path.write_text('id = "mine/1"\nk = [2]\n[measures]\n"found@{k}" = "recall@{k}"\n"first" = "mrr"\n')
    document = strict(world.evaluate("--json", "--contract", str(path)).ok().out)
    assert document["contract"] == "mine/1"
    found = measures(document)
    assert list(found) == ["found@2", "first"]
    assert found["found@2"]["value"] == close(1 / 2)


def test_in_a_process_of_its_own(world: World, command: Callable[..., Ran]) -> None:
    predictions, corpus = world.write()
    ran = command("evaluate", predictions, "--corpus", corpus, "--json").ok()
    assert measures(strict(ran.out))["mrr"]["value"] == close(1 / 2)
    ran = command("evaluate", predictions, "--corpus", corpus).ok()
    assert "system under assay/1: 8 queries, 6 with evidence, 15 candidates" in ran.out
    assert "\x1b" not in ran.out
