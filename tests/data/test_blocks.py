"""Runs that are read in blocks: where the cuts fall must not matter."""

from __future__ import annotations

import gzip
import random
import statistics
from collections.abc import Callable
from pathlib import Path

import pytest
import pytrec_eval

import assay
from assay.data.readers import beir, text_blocks
from assay.data.trec import trec_text
from assay.files.input_file import InputFile

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
Lines = list[str]

SIZES = (1, 64, 333, 1 << 20)
FEW = (64, 333, 1 << 20)


def made() -> tuple[Qrels, Run]:
    draw = random.Random(11)
    qrels: Qrels = {}
    run: Run = {}
    for at in range(9):
        names = [f"d{number}" for number in draw.sample(range(60), 25)]
        qrels[f"query{at}"] = {name: draw.choice([0, 1, 1, 2]) for name in names[:9]}
        qrels[f"query{at}"][names[1]] = 1
        count = 1 if at == 4 else 17
        run[f"query{at}"] = {name: draw.randrange(20) / 8 for name in names[:count]}
    return qrels, run


QRELS, RUN = made()


def expected() -> dict[str, float]:
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, {"map", "ndcg", "recip_rank", "P"})
    rows = evaluator.evaluate(RUN).values()
    names = ("map", "ndcg", "recip_rank", "P_10")
    return {name: statistics.fmean(row[name] for row in rows) for name in names}


def run_lines() -> Lines:
    return [
        f"{query} Q0 {name} {rank} {score} tag"
        for query, row in RUN.items()
        for rank, (name, score) in enumerate(row.items())
    ]


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    path = tmp_path / "qrels.txt"
    path.write_text("".join(f"{q} 0 {d} {g}\n" for q, row in QRELS.items() for d, g in row.items()))
    return path


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Cut files into blocks of so many bytes."""

    def cut(size: int) -> None:
        monkeypatch.setattr(text_blocks, "BLOCK", size)
        monkeypatch.setattr(trec_text, "blocks", lambda file, _=None: text_blocks.blocks(file, size))

    return cut


def holds(qrels: Path, run: Path) -> None:
    result = assay.evaluate(assay.read_trec(qrels, run), contract="trec_eval/10")
    wanted = expected()
    assert {name: result[name].value for name in wanted} == pytest.approx(wanted, abs=1e-9)
    assert (result.counts.queries, result.counts.missing, result.counts.left_out) == (9, 0, 0)
    assert result.counts.candidates == 8 * 17 + 1


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("packed", [False, True])
def test_queries_span_blocks(
    qrels: Path, tmp_path: Path, small: Callable[[int], None], size: int, packed: bool
) -> None:
    data = ("\n".join(run_lines()) + "\n").encode()
    run = tmp_path / "run"
    run.write_bytes(gzip.compress(data) if packed else data)
    small(size)
    holds(qrels, run)


def test_the_cuts_are_real(tmp_path: Path, small: Callable[[int], None]) -> None:
    run = tmp_path / "run"
    run.write_text("\n".join(run_lines()) + "\n")
    small(333)
    assert len(list(text_blocks.blocks(InputFile(run)))) > 5
    chunks = list(trec_text.read_queries(InputFile(run), trec_text.RUN))
    assert len(chunks) > 3
    assert sum(len(chunk.items) for chunk in chunks) == 137
    queries = [name for chunk in chunks for name in chunk.names]
    assert len(queries) == len(set(queries)) == 9


@pytest.mark.parametrize("size", [7, 333])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_queries_that_come_back_in_a_later_block(
    qrels: Path, tmp_path: Path, small: Callable[[int], None], size: int, seed: int
) -> None:
    lines = run_lines()
    if seed == 3:  # only the very last line belongs to the first query
        lines.append(lines.pop(5))
    else:
        random.Random(seed).shuffle(lines)
    run = tmp_path / "run"
    run.write_text("\n".join(lines))
    small(size)
    holds(qrels, run)


@pytest.mark.parametrize("size", [7, 333])
def test_comments_blanks_and_line_ends_at_the_cuts(
    qrels: Path, tmp_path: Path, small: Callable[[int], None], size: int
) -> None:
    lines = run_lines()
    for at in range(0, len(lines), 5):
        lines[at] = lines[at].replace(" ", "\t")
    for at in range(2, len(lines), 7):
        lines[at] = f"  {lines[at].replace(' ', '   ')} "
    for at in range(0, len(lines), 9):
        lines[at] += "\n# a comment\n\n   "
    run = tmp_path / "run"
    run.write_bytes("\r\n".join(lines).encode())
    small(size)
    holds(qrels, run)


def test_fields_that_are_too_many_in_a_late_block(
    qrels: Path, tmp_path: Path, small: Callable[[int], None]
) -> None:
    lines = run_lines()
    lines[-3] += " and more"
    run = tmp_path / "run"
    run.write_text("\n".join(lines) + "\n")
    small(200)
    holds(qrels, run)


@pytest.mark.parametrize("size", FEW)
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("query8 Q0 d999 1 nan t", "run line 138: score is nan"),
        ("query8 Q0 d999 1", "run line 138: has 4 fields"),
        ("query8 Q0 d\udcff 1 1 t", "run line 138: .*UTF-8"),
    ],
)
def test_faults_in_the_last_block(
    qrels: Path, tmp_path: Path, small: Callable[[int], None], size: int, line: str, words: str
) -> None:
    run = tmp_path / "run"
    run.write_bytes("\n".join([*run_lines(), line]).encode(errors="surrogateescape"))
    small(size)
    with pytest.raises(assay.InputError, match=words) as caught:
        holds(qrels, run)
    assert len(caught.value.faults) == 1


@pytest.mark.parametrize("size", FEW)
@pytest.mark.parametrize("at", [0, 3, 100])
def test_duplicates_in_other_blocks(
    qrels: Path, tmp_path: Path, small: Callable[[int], None], size: int, at: int
) -> None:
    lines = run_lines()
    run = tmp_path / "run"
    run.write_text("\n".join([*lines, lines[at]]) + "\n")
    small(size)
    with pytest.raises(assay.InputError) as caught:
        holds(qrels, run)
    (fault,) = caught.value.faults
    assert fault.place == "line 138"
    assert f"line {at + 1})" in fault.problem


def test_a_line_that_never_ends(
    qrels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: Callable[[int], None]
) -> None:
    run = tmp_path / "run"
    run.write_text("x" * 5000)
    monkeypatch.setattr(text_blocks, "LINE_BYTES", 1000)
    small(100)
    with pytest.raises(assay.InputError, match=r"run.*longer than"):
        holds(qrels, run)


@pytest.mark.parametrize("cut", [12, 200, -9, -1])
def test_a_packed_run_that_ends_early(
    qrels: Path, tmp_path: Path, small: Callable[[int], None], cut: int
) -> None:
    run = tmp_path / "run.gz"
    run.write_bytes(gzip.compress("\n".join(run_lines()).encode())[:cut])
    small(333)
    with pytest.raises(assay.InputError, match="gzip"):
        holds(qrels, run)


@pytest.mark.parametrize("blank", [" ", "\t"])
def test_plain_judgements_are_not_read_line_by_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blank: str
) -> None:
    """Their number is the last field, which once made every file of them odd."""

    def slow(*_: object, **__: object) -> None:
        raise AssertionError("read line by line")

    for module in (trec_text, beir):
        monkeypatch.setattr(module, "explained", slow)
    lines = [
        blank.join((query, "0", name, str(grade)))
        for query, row in QRELS.items()
        for name, grade in row.items()
    ]
    path = tmp_path / "qrels.txt"
    path.write_text("\n".join(lines) + "\n")
    assert assay.read_trec(path, RUN) is not None
    folder = tmp_path / "qrels"
    folder.mkdir()
    pairs = [line.split(blank) for line in lines]
    (folder / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t{g}\n" for q, _, d, g in pairs)
    )
    assert assay.read_trec(tmp_path, RUN) is not None
