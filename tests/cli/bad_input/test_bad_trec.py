"""Bad input of the TREC form: every fault, with file, line, value and what was expected."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Plain, Ran

Words = tuple[str, ...]

RUNS: dict[str, tuple[bytes, Words]] = {
    "nan": (b"q2 Q0 d5 3 nan t", ("score is nan", "finite")),
    "NaN": (b"q2 Q0 d5 3 NaN t", ("score is NaN", "finite")),
    "inf": (b"q2 Q0 d5 3 inf t", ("score is inf", "finite")),
    "-inf": (b"q2 Q0 d5 3 -inf t", ("score is -inf", "finite")),
    "Infinity": (b"q2 Q0 d5 3 Infinity t", ("score is Infinity", "finite")),
    "overflow": (b"q2 Q0 d5 3 1e999 t", ("1e999", "finite")),
    "text": (b"q2 Q0 d5 3 abc t", ("score is 'abc'", "numbers")),
    "grouped digits": (b"q2 Q0 d5 3 1_000 t", ("1_000", "numbers")),
    "no tag": (b"q2 Q0 d5 3 0.5", ("5 fields", "expected 6", "query Q0 document rank score tag")),
    "one field": (b"q2", ("1 field", "expected 6")),
    "qrels line": (b"q2 0 d5 1", ("4 fields", "'q2 0 d5 1'", "expected 6")),
    "duplicate": (b"q1 Q0 d2 9 0.1 t", ("'d2'", "'q1'", "line 1", "once")),
}
JUDGEMENTS: dict[str, tuple[bytes, Words]] = {
    "text": (b"q2 0 d5 yes", ("grade is 'yes'", "numbers")),
    "nan": (b"q2 0 d5 nan", ("grade is nan", "finite")),
    "inf": (b"q2 0 d5 inf", ("grade is inf", "finite")),
    "missing field": (b"q2 0 d5", ("3 fields", "expected 4", "query iteration document grade")),
    "duplicate": (b"q1 0 d3 1", ("'d3'", "'q1'", "line 3", "once")),
    "duplicate of the same grade": (b"q2 0 d1 1", ("'d1'", "'q2'", "line 4", "once")),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_line_of_the_run(plain: Plain, name: str) -> None:
    line, words = RUNS[name]
    plain.run += line + b"\n"
    plain.refused(("run.txt line 8:", *words))


@pytest.mark.parametrize("name", RUNS)
def test_a_line_of_a_packed_run_without_a_last_line_break(plain: Plain, name: str) -> None:
    line, words = RUNS[name]
    plain.run = gzip.compress(plain.run + b"# a comment\r\n\n" + line)
    plain.names = ("qrels.txt", "run.gz")
    plain.refused(("run.gz line 10:", *words))


@pytest.mark.parametrize("name", JUDGEMENTS)
def test_a_line_of_the_judgements(plain: Plain, name: str) -> None:
    line, words = JUDGEMENTS[name]
    plain.qrels += line + b"\n"
    plain.refused(("qrels.txt line 6:", *words))


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize("data", [b"", b"\n \n\r\n", b"# nothing\n# here\n"])
def test_a_file_without_a_line(plain: Plain, at: int, data: bytes) -> None:
    if at:
        plain.run = data
    else:
        plain.qrels = data
    plain.refused((plain.names[at], "no line", "lines of query"))


@pytest.mark.parametrize("keep", [5, 25, -9, -1])
@pytest.mark.parametrize("at", [0, 1])
def test_a_truncated_gzip(plain: Plain, at: int, keep: int) -> None:
    if at:
        plain.run = gzip.compress(plain.run)[:keep]
    else:
        plain.qrels = gzip.compress(plain.qrels)[:keep]
    plain.refused((plain.names[at], "gzip", "complete"))


@pytest.mark.parametrize("line", [b"q2 Q0 d\xe9 3 0.5 t", b"q\xe9 Q0 d5 3 0.5 t"])
def test_a_run_that_is_not_utf8(plain: Plain, line: bytes) -> None:
    plain.run += line + b"\n"
    plain.refused(("run.txt line 8:", "xe9", "UTF-8"))


def test_judgements_that_are_not_utf8(plain: Plain) -> None:
    plain.qrels = b"q1 0 d\xff 1\n" + plain.qrels
    plain.refused(("qrels.txt line 1:", "xff", "UTF-8"))


@pytest.mark.parametrize("at", [0, 1])
def test_a_line_of_ten_megabytes(plain: Plain, at: int) -> None:
    if at:
        plain.run = b"a" * (10 << 20)
    else:
        plain.qrels = b"a" * (10 << 20)
    plain.refused((f"{plain.names[at]} line 1:", "1 field", "expected"))


def test_a_document_of_ten_megabytes_twice(plain: Plain) -> None:
    line = b"q2 Q0 " + b"d" * (10 << 20) + b" 3 0.1 t\n"
    plain.run += line + line
    plain.refused(("run.txt line 9:", "'q2'", "line 8"))


def test_a_score_of_ten_megabytes(plain: Plain) -> None:
    plain.run += b"q2 Q0 d5 3 " + b"x" * (10 << 20) + b" t\n"
    plain.refused(("run.txt line 8:", "score", "numbers"))


def test_three_bad_lines_are_three_faults(plain: Plain) -> None:
    plain.run = b"q1 Q0 d2 1 nan t\nq1 Q0 d1 2 0.8 t\nq1 Q0 d3 abc\nq2 Q0 d1 1 x t\nq2 Q0 d7 2 2.5 t\n"
    plain.refused(("run.txt line 1:", "nan"), ("run.txt line 3:", "4 fields"), ("run.txt line 4:", "'x'"))


def test_two_duplicates_are_two_faults(plain: Plain) -> None:
    plain.run += b"q1 Q0 d3 4 0.1 t\nq3 Q0 d1 4 0.01 t\n"
    plain.refused(("run.txt line 8:", "'d3'", "line 3"), ("run.txt line 9:", "'d1'", "'q3'", "line 6"))


def test_duplicates_beside_other_faults(plain: Plain) -> None:
    plain.run += b"q1 Q0 d3 4 0.1 t\nq3 Q0 d4 4 nan t\n"
    plain.refused(("run.txt line 8:", "'d3'", "line 3"), ("run.txt line 9:", "nan"))


def test_a_duplicate_in_a_query_that_has_no_judgements(plain: Plain) -> None:
    plain.run += b"q8 Q0 d1 1 0.2 t\nq8 Q0 d1 2 0.1 t\n"
    plain.refused(("run.txt line 9:", "'d1'", "'q8'", "line 8"))


@pytest.mark.parametrize(
    "lines",
    [
        b"q2 Q0 d5 3 0.5 t more\nq2 Q0 d6 4 0.4\n",
        b"q2  Q0 d5 3 0.5 t\nq2 Q0 d6 4 0.4\n",
        b" q2 Q0 d5 3 0.5 t\nq2 Q0 d6 4 0.4\n",
        b"q2 Q0 d5 3 0.5 t \nq2 Q0 d6 4 0.4\n",
    ],
)
def test_blanks_too_many_do_not_make_up_for_a_field_too_few(plain: Plain, lines: bytes) -> None:
    plain.run += lines
    plain.refused(("run.txt line 9:", "5 fields", "expected 6"))


def test_no_shared_query(plain: Plain) -> None:
    plain.run = plain.run.replace(b"q", b"topic")
    plain.refused(("run.txt", "no query", "qrels.txt", "share"))


@pytest.mark.parametrize("option", ["--qrels", "--run"])
def test_missing_files(plain: Plain, call: Callable[..., Ran], option: str) -> None:
    qrels, run = plain.write()
    files = {"--qrels": qrels, "--run": run, option: plain.folder / "nowhere.txt"}
    call("evaluate", *(word for pair in files.items() for word in pair)).refused(("nowhere.txt", "file"))


@pytest.mark.parametrize("option", ["--qrels", "--run"])
def test_a_folder_in_place_of_a_file(plain: Plain, call: Callable[..., Ran], option: str) -> None:
    qrels, run = plain.write()
    (plain.folder / "empty").mkdir()
    files = {"--qrels": qrels, "--run": run, option: plain.folder / "empty"}
    call("evaluate", *(word for pair in files.items() for word in pair)).refused(("empty", "file"))


BEIR: dict[str, tuple[bytes, Words]] = {
    "no header": (b"q1\td1\tone\n", ("test.tsv: no column for the query", "columns: q1, d1, one")),
    "no row": (b"query-id\tcorpus-id\tscore\n", ("test.tsv", "no row")),
    "empty": (b"", ("test.tsv",)),
    "text": (b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td1\tyes\n", ("test.tsv line 3:", "yes")),
    "nan": (b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td1\tnan\n", ("test.tsv line 3:", "nan")),
    "short": (b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td1\n", ("test.tsv line 3:", "2 fields")),
    "twice": (
        b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td1\t1\nq1\td1\t0\n",
        ("test.tsv line 4:", "'d1'", "'q1'", "once"),
    ),
    "not UTF-8": (b"query-id\tcorpus-id\tscore\nq1\td\xe9\t1\n", ("test.tsv line 2:", "UTF-8")),
    "long": (b"q" * (10 << 20), ("test.tsv: no column for the query", "does not look like a header")),
    "gzip": (gzip.compress(b"query-id\tcorpus-id\tscore\nq1\td1\t1\n")[:-9], ("test.tsv", "gzip")),
}


@pytest.mark.parametrize("name", BEIR)
def test_bad_judgements_of_beir(plain: Plain, name: str) -> None:
    plain.qrels, words = BEIR[name]
    plain.names = ("test.tsv", "run.txt")
    plain.refused(words)


def test_a_beir_folder_of_several_splits(plain: Plain, call: Callable[..., Ran]) -> None:
    _, run = plain.write()
    folder = plain.folder / "beir" / "qrels"
    folder.mkdir(parents=True)
    for split in ("dev", "test"):
        (folder / f"{split}.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    call("evaluate", "--qrels", folder.parent, "--run", run).refused(
        ("beir", "dev.tsv, test.tsv", "one .tsv file")
    )


@pytest.mark.parametrize("name", ["qrels.txt", "test.tsv"])
def test_a_split_is_never_ignored(plain: Plain, name: str) -> None:
    if name == "test.tsv":
        plain.qrels = b"query-id\tcorpus-id\tscore\nq1\td1\t1\n"
    plain.names = (name, "run.txt")
    plain.evaluate("--split", "dev").refused((name, "split", "'dev'"))


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (b"q1 Q0 d1 1 nan t\n", ("run.txt line 1:", "nan", "finite")),
        (gzip.compress(b"q1 Q0 d1 1 1 t\n" * 9)[:-4], ("run.txt", "gzip", "complete")),
        (b"z" * (10 << 20), ("run.txt line 1:", "1 field", "expected 6")),
    ],
    ids=["nan", "truncated", "long"],
)
def test_in_a_process_of_its_own(
    plain: Plain, command: Callable[..., Ran], tmp_path: Path, run: bytes, words: Words
) -> None:
    plain.run = run
    qrels, path = plain.write()
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    target = outputs / "per_query.csv"
    command("evaluate", "--qrels", qrels, "--run", path, "--per-query", target).refused(words)
    assert not list(outputs.iterdir())
