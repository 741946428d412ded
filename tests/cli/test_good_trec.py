"""Good input of the TREC form, compared with trec_eval itself (pytrec_eval)."""

from __future__ import annotations

import gzip
import json
import random
import statistics
from collections.abc import Callable
from typing import TYPE_CHECKING

import polars as pl
import pytest
import pytrec_eval

if TYPE_CHECKING:
    from tests.cli.conftest import Plain, Ran

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

NAMES = (
    "map",
    "Rprec",
    "bpref",
    "recip_rank",
    "ndcg",
    *(f"{name}_{k}" for name in ("P", "recall", "ndcg_cut", "map_cut") for k in (5, 10, 20)),
    "success_1",
    "success_5",
)


def made(seed: int = 7, queries: int = 14) -> tuple[Qrels, Run]:
    """Graded judgements and a run with ties; one query only judged, two only answered."""
    draw = random.Random(seed)
    qrels: Qrels = {}
    run: Run = {}
    for at in range(queries):
        documents = [f"doc-{at}-{number}" for number in draw.sample(range(90), 30)]
        if at not in (3, 8):
            qrels[f"q{at}"] = {name: draw.choice([0, 0, 1, 2]) for name in documents[:12]}
            qrels[f"q{at}"][documents[0]] = 1
        if at != 5:
            listed = documents[4:24]
            run[f"q{at}"] = {name: draw.randrange(12) / 4 for name in listed}
    return qrels, run


def run_lines(run: Run) -> list[str]:
    return [
        f"{query} Q0 {name} {rank} {score} tag"
        for query, listed in run.items()
        for rank, (name, score) in enumerate(listed.items(), start=1)
    ]


def text(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def qrels_text(qrels: Qrels) -> bytes:
    return text([f"{q} 0 {name} {grade}" for q, row in qrels.items() for name, grade in row.items()])


def expected(qrels: Qrels, run: Run, *, complete: bool = False) -> dict[str, float]:
    """trec_eval's means, over shared queries or over all judged ones."""
    families = {"map", "Rprec", "bpref", "recip_rank", "ndcg", "P", "recall", "ndcg_cut"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, families | {"map_cut", "success"})
    by_query = evaluator.evaluate(run)
    n = len(qrels) if complete else len(by_query)
    return {name: sum(row[name] for row in by_query.values()) / n for name in NAMES}


def values(ran: Ran) -> dict[str, float]:
    return {value["name"]: value["value"] for value in json.loads(ran.ok().out)["measures"]}


def close(value: object) -> object:
    return pytest.approx(value, abs=1e-9)


@pytest.fixture
def both(plain: Plain) -> tuple[Plain, Qrels, Run]:
    qrels, run = made()
    plain.qrels, plain.run = qrels_text(qrels), text(run_lines(run))
    return plain, qrels, run


Both = tuple["Plain", Qrels, Run]
TREC = ("--contract", "trec_eval/10", "--json")


def test_against_trec_eval(both: Both) -> None:
    plain, qrels, run = both
    found = values(plain.evaluate(*TREC))
    assert {name: found[name] for name in NAMES} == close(expected(qrels, run))
    assert found["num_q"] == 11


def test_complete(both: Both) -> None:
    plain, qrels, run = both
    found = values(plain.evaluate(*TREC, "--complete"))
    assert {name: found[name] for name in NAMES} == close(expected(qrels, run, complete=True))


def test_queries_that_do_not_match_are_counted_and_shown(both: Both) -> None:
    plain, _, _ = both
    document = json.loads(plain.evaluate("--json").ok().out)
    counts = document["counts"]
    assert (counts["queries"], counts["missing"], counts["left_out"]) == (12, 1, 2)
    printed = plain.evaluate().ok().out
    assert "1 queries were not answered" in printed or "1 query was not answered" in printed
    assert "2 queries of the run were excluded: no judgements" in printed


def test_a_missing_query_is_a_miss(plain: Plain) -> None:
    plain.run = b"q1 Q0 d1 1 0.9 t\nq2 Q0 d7 1 0.9 t\nq2 Q0 d1 2 0.8 t\n"  # q3 is not answered
    document = json.loads(plain.evaluate("--json", "-m", "mrr").ok().out)
    assert document["measures"][0]["value"] == close((1 + 1 / 2 + 0) / 3)
    assert document["measures"][0]["n"] == 3


@pytest.mark.parametrize("seed", [1, 2])
def test_lines_in_any_order(both: Both, seed: int) -> None:
    plain, qrels, run = both
    lines = run_lines(run)
    judgements = qrels_text(qrels).splitlines(keepends=True)
    random.Random(seed).shuffle(lines)
    random.Random(seed).shuffle(judgements)
    plain.run, plain.qrels = text(lines), b"".join(judgements)
    found = values(plain.evaluate(*TREC))
    assert {name: found[name] for name in NAMES} == close(expected(qrels, run))


def test_queries_that_do_not_stand_together_keep_the_order_of_ties(plain: Plain) -> None:
    """All tied: the first line of a query is its first rank, wherever the others stand."""
    together = [
        b"q1 Q0 d2 1 1 t",
        b"q1 Q0 d1 1 1 t",
        b"q1 Q0 d3 1 1 t",
        b"q2 Q0 d7 1 1 t",
        b"q2 Q0 d8 1 1 t",
        b"q2 Q0 d1 1 1 t",
        b"q3 Q0 d9 1 1 t",
    ]
    for order in ((0, 1, 2, 3, 4, 5, 6), (0, 3, 6, 1, 4, 2, 5), (3, 0, 4, 1, 5, 2, 6)):
        plain.run = b"\n".join(together[at] for at in order) + b"\n"
        found = values(plain.evaluate("--json", "-m", "mrr", "-m", "map@10"))
        assert found["mrr"] == close((1 / 2 + 1 / 3 + 1) / 3)
        assert found["map@10"] == close(((1 / 2 + 2 / 3) / 2 + 1 / 3 + 1) / 3)


def _crlf(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


def _tabs(data: bytes) -> bytes:
    return data.replace(b" ", b"\t")


def _blanks(data: bytes) -> bytes:
    return data.replace(b" ", b"  \t ")


def _indented(data: bytes) -> bytes:
    return b"".join(b"  " + line + b" \n" for line in data.splitlines())


def _comments(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    lines.insert(5, b"# a comment of some words\n\n   \n  # another\n#\n")
    return b"# head\n" + b"".join(lines) + b"\n\n# end"


def _extra(data: bytes) -> bytes:
    lines = data.splitlines()
    lines[2] += b" more fields here"
    return b"\n".join(lines) + b"\n"


def _mixed(data: bytes) -> bytes:
    lines = data.splitlines()
    lines[1] = lines[1].replace(b" ", b"\t")
    lines[4] = lines[4].replace(b" ", b"   ") + b"\r"
    return b"\n".join(lines)


FORMS = (_crlf, _tabs, _blanks, _indented, _comments, _extra, _mixed, gzip.compress)


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_text(both: Both, form: Callable[[bytes], bytes]) -> None:
    plain, qrels, run = both
    plain.run = form(plain.run)
    if form is not _extra:  # trec_eval ignores further fields of a run, not of judgements
        plain.qrels = form(plain.qrels)
    found = values(plain.evaluate(*TREC))
    assert {name: found[name] for name in NAMES} == close(expected(qrels, run))


def test_judgements_have_four_fields(both: Both) -> None:
    plain, _, _ = both
    plain.qrels = plain.run  # the files were swapped: a rank must not become a grade
    done = plain.evaluate(*TREC)
    assert done.code == 2
    assert "qrels.txt line 1: has 6 fields" in done.err


def test_gzip_in_several_members(both: Both) -> None:
    plain, qrels, run = both
    half = plain.run.index(b"\n", len(plain.run) // 2) + 1
    plain.run = gzip.compress(plain.run[:half]) + gzip.compress(plain.run[half:])
    found = values(plain.evaluate(*TREC))
    assert {name: found[name] for name in NAMES} == close(expected(qrels, run))


def test_ids_of_any_letters(plain: Plain) -> None:
    plain.qrels = 'q1 0 "naïve,doc" 1\nq1 0 文書 1\nq2 0 a\u00a0b 1\n'.encode()
    plain.run = 'q1 Q0 文書 1 3 t\nq1 Q0 "naïve,doc" 2 2 t\nq2 Q0 x 1 2 t\nq2 Q0 a\u00a0b 2 1 t\n'.encode()
    assert values(plain.evaluate("--json", "-m", "map@10"))["map@10"] == close((1 + 1 / 2) / 2)
    plain.run = plain.run.replace(b" t\n", b" t more\n")
    assert values(plain.evaluate("--json", "-m", "map@10"))["map@10"] == close((1 + 1 / 2) / 2)


def test_parquet(both: Both) -> None:
    plain, qrels, run = both
    plain.names = ("qrels.parquet", "run.parquet")
    for name, head, rows in (("qrels.parquet", "relevance", qrels), ("run.parquet", "score", run)):
        flat = [(q, d, value) for q, row in rows.items() for d, value in row.items()]
        pl.DataFrame(flat, schema=["query_id", "doc_id", head], orient="row").write_parquet(
            plain.folder / name
        )
    plain.qrels, plain.run = ((plain.folder / name).read_bytes() for name in plain.names)
    found = values(plain.evaluate(*TREC))
    assert {name: found[name] for name in NAMES} == close(expected(qrels, run))


@pytest.mark.parametrize("source", ["beir", "beir/qrels", "beir/qrels/test.tsv"])
def test_beir(both: Both, call: Callable[..., Ran], source: str) -> None:
    plain, qrels, run = both
    _, path = plain.write()
    folder = plain.folder / "beir" / "qrels"
    folder.mkdir(parents=True)
    rows = [f"{q}\t{d}\t{grade}" for q, row in qrels.items() for d, grade in row.items()]
    (folder / "test.tsv").write_bytes(text(["query-id\tcorpus-id\tscore", *rows]))
    found = values(call("evaluate", "--qrels", plain.folder / source, "--run", path, *TREC))
    assert {name: found[name] for name in NAMES} == close(expected(qrels, run))


def test_several_runs_in_one_table(both: Both, call: Callable[..., Ran]) -> None:
    plain, qrels, run = both
    path, first = plain.write()
    other = {query: {name: -score for name, score in row.items()} for query, row in run.items()}
    second = plain.folder / "turned.run"
    second.write_bytes(text(run_lines(other)))
    arguments = ("evaluate", "--qrels", path, "--run", first, "--run", second)
    target = plain.folder / "per_query.csv"
    documents = json.loads(call(*arguments, *TREC).ok().out)
    assert [document["system"] for document in documents] == ["run.txt", "turned.run"]
    for document, scored in zip(documents, (run, other), strict=True):
        found = {value["name"]: value["value"] for value in document["measures"]}
        assert {name: found[name] for name in NAMES} == close(expected(qrels, scored))
    ran = call(*arguments, "--contract", "trec_eval/10", "--per-query", target).ok()
    heads = [line for line in ran.out.splitlines() if "run.txt" in line and "turned.run" in line]
    assert len(heads) == 1
    line = next(line.split() for line in ran.out.splitlines() if line.startswith("map "))
    means = [expected(qrels, scored)["map"] for scored in (run, other)]
    assert [cell.rstrip("◂") for cell in line[-2:]] == [f"{mean:.4f}" for mean in means]
    assert line[-2:].index(max(line[-2:], key=len)) == means.index(max(means))
    assert "turned.run: 2 queries of the run were excluded" in ran.out
    frame = pl.read_csv(target)
    assert frame.group_by("system").len().sort("system")["len"].to_list() == [12, 12]


def test_per_query_against_trec_eval(both: Both) -> None:
    plain, qrels, run = both
    target = plain.folder / "per_query.csv"
    plain.evaluate("--contract", "trec_eval/10", "--per-query", str(target)).ok()
    by_query = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut"}).evaluate(run)
    rows = {row["query_id"]: row for row in pl.read_csv(target).iter_rows(named=True)}
    assert set(rows) == set(qrels)
    for query, row in by_query.items():
        assert rows[query]["map"] == close(row["map"])
        assert rows[query]["ndcg_cut_10"] == close(row["ndcg_cut_10"])
    assert [query for query, row in rows.items() if not row["answered"]] == ["q5"]


def test_level_and_depth_against_trec_eval(both: Both) -> None:
    plain, qrels, run = both
    strict = pytrec_eval.RelevanceEvaluator(qrels, {"map", "P"}, relevance_level=2)
    mean = statistics.fmean(row["map"] for row in strict.evaluate(run).values())
    assert values(plain.evaluate(*TREC, "--level", "2"))["map"] == close(mean)
    short = {
        query: dict(sorted(row.items(), key=lambda pair: (pair[1], pair[0]), reverse=True)[:6])
        for query, row in run.items()
    }
    assert values(plain.evaluate(*TREC, "--depth", "6"))["map"] == close(expected(qrels, short)["map"])


def test_split_of_parquet(plain: Plain, call: Callable[..., Ran]) -> None:
    _, run = plain.write()
    qrels = plain.folder / "qrels.parquet"
    pl.DataFrame(
        {
            "query_id": ["q1", "q2", "q3"],
            "doc_id": ["d2", "d7", "d9"],
            "score": [1, 1, 1],
            "split": ["dev", "test", "test"],
        }
    ).write_parquet(qrels)
    found = values(call("evaluate", "--qrels", qrels, "--run", run, "--split", "test", "--json", "-m", "mrr"))
    assert found["mrr"] == close(1 / 2)
    call("evaluate", "--qrels", qrels, "--run", run, "--split", "x").refused(
        ("qrels.parquet", "'x'", "dev", "test")
    )


def test_in_a_process_of_its_own(both: Both, command: Callable[..., Ran]) -> None:
    plain, qrels, run = both
    path, answered = plain.write()
    found = values(command("evaluate", "--qrels", path, "--run", answered, *TREC))
    assert {name: found[name] for name in NAMES} == close(expected(qrels, run))


def test_what_a_name_means_is_said_once_for_several_runs(both: Both, call: Callable[..., Ran]) -> None:
    """It was said for every run."""
    plain, _, run = both
    path, first = plain.write()
    second = plain.folder / "second.run"
    second.write_bytes(text(run_lines(run)))
    ran = call("evaluate", "--qrels", path, "--run", first, second, "-m", "nDCG@10", "-m", "AP").ok()
    assert [ran.out.count(f"{name} is ") for name in ("nDCG@10", "AP")] == [1, 1]
    assert "run.txt: nDCG@10" not in ran.out
