"""Parquet runs that are read in slices: where slices and row groups end must not matter."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import pytrec_eval

import assay
from assay.data.readers import table_files
from assay.data.runs import run_starts

SLICES = (1, 7, 16, 50, 1 << 20)
GROUPS = (1, 5, 16, 1 << 20)
QUERIES = 9
MEASURES = ("map", "ndcg", "recip_rank")


def made() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Lists of 1 to 40 candidates with distinct scores, and judgements."""
    draw = random.Random(5)
    run, qrels = [], []
    for query in range(QUERIES):
        names = [f"d{number}" for number in draw.sample(range(90), 40)]
        listed = names[: draw.choice([1, 12, 40])]
        scores = draw.sample(range(200), len(listed))
        run += [(f"q{query}", name, score / 8) for name, score in zip(listed, scores, strict=True)]
        qrels += [(f"q{query}", name, draw.choice([0, 1, 2])) for name in names[:15]]
        qrels.append((f"q{query}", "never listed", 1))
    return (
        pl.DataFrame(run, schema=["query_id", "doc_id", "score"], orient="row"),
        pl.DataFrame(qrels, schema=["query_id", "doc_id", "grade"], orient="row"),
    )


RUN, QRELS = made()


def nested(frame: pl.DataFrame) -> dict[str, dict[str, float]]:
    table: dict[str, dict[str, float]] = {}
    for query, item, number in frame.iter_rows():
        table.setdefault(query, {})[item] = number
    return table


def expected() -> dict[str, dict[str, float]]:
    found = pytrec_eval.RelevanceEvaluator(nested(QRELS), set(MEASURES)).evaluate(nested(RUN))
    return {query: {name: row[name] for name in MEASURES} for query, row in found.items()}


def scored(path: Path) -> dict[str, dict[str, float]]:
    judged = assay.read_trec(QRELS, path)
    result = assay.evaluate(judged, contract="trec_eval/10", measures=MEASURES)
    rows = result.per_query().select("query_id", *MEASURES).rows()
    return {query: dict(zip(MEASURES, values, strict=True)) for query, *values in rows}


def agree(path: Path) -> None:
    ours, theirs = scored(path), expected()
    assert ours.keys() == theirs.keys()
    for query, row in theirs.items():
        assert ours[query] == pytest.approx(row, abs=1e-12)


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("rows", SLICES)
def test_cuts_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int, group: int) -> None:
    monkeypatch.setattr(table_files, "SLICE", rows)
    path = tmp_path / "run.parquet"
    RUN.write_parquet(path, row_group_size=group)
    agree(path)


@pytest.mark.parametrize(("group", "rows"), [(100, 40), (30, 100), (100, 100), (250, 240), (1000, 300)])
def test_slices_end_with_row_groups(tmp_path: Path, group: int, rows: int) -> None:
    """A slice with parts of two row groups takes a fifth more CPU; the first two find out where they end."""
    path = tmp_path / "table.parquet"
    pl.DataFrame({"row": range(1000)}).write_parquet(path, row_group_size=group)
    with path.open("rb") as handle:
        frames = [table.frame["row"] for table in table_files.read_slices(handle, "table", ["row"], rows)]
    assert pl.concat(frames).to_list() == list(range(1000))
    known = next((at for at, each in enumerate(frames) if each[-1] >= group), len(frames) - 1)
    for each in frames[known + 2 :]:
        first, end = each[0], min(each[-1] + 1, 1000)
        whole = first % group == 0 and (end % group == 0 or end == 1000)
        assert whole or first // group == (end - 1) // group
        assert len(each) <= max(rows, group)


@pytest.mark.parametrize("rows", SLICES)
def test_scattered_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    monkeypatch.setattr(table_files, "SLICE", rows)
    path = tmp_path / "run.parquet"
    RUN.sample(fraction=1.0, shuffle=True, seed=3).write_parquet(path, row_group_size=5)
    agree(path)


def test_further_columns_and_their_order(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    more = RUN.with_columns(rank=pl.lit(0), text=pl.lit("of no use"))
    more.select("text", "score", "doc_id", "rank", "query_id").write_parquet(path)
    agree(path)


@pytest.mark.parametrize("rows", SLICES)
def test_all_faults_of_all_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    monkeypatch.setattr(table_files, "SLICE", rows)
    scores, items = RUN["score"].to_list(), RUN["doc_id"].to_list()
    scores[2], scores[60], items[90] = float("nan"), None, None
    path = tmp_path / "run.parquet"
    wrong = RUN.with_columns(pl.Series("score", scores), pl.Series("doc_id", items))
    wrong.write_parquet(path, row_group_size=16)
    with pytest.raises(assay.InputError) as error:
        scored(path)
    assert [fault.row for fault in error.value.faults] == [3, 61, 91]


@pytest.mark.parametrize("rows", SLICES)
def test_a_document_twice_in_different_slices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr(table_files, "SLICE", rows)
    path = tmp_path / "run.parquet"
    pl.concat([RUN, RUN[:1]]).write_parquet(path, row_group_size=16)
    with pytest.raises(assay.InputError, match=f"row {len(RUN) + 1}: .*twice"):
        scored(path)


def test_scores_whose_sum_is_not_finite(tmp_path: Path) -> None:
    """Each of them is finite, so the run is sound."""
    path = tmp_path / "run.parquet"
    RUN.with_columns(score=1e308 + pl.col("score") * 1e306).write_parquet(path)
    assert np.isinf(float(pl.read_parquet(path)["score"].sum()))
    agree(path)


def test_starts_of_runs_over_chunks() -> None:
    parts = [["a", "a"], ["a", "b"], [], ["b"], ["c", "a"]]
    names = pl.concat([pl.Series("q", part, dtype=pl.String) for part in parts], rechunk=False)
    assert run_starts(names).tolist() == [0, 3, 5, 6]
    assert run_starts(names.rechunk()).tolist() == [0, 3, 5, 6]
    assert run_starts(names[:0]).tolist() == []
