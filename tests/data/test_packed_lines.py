"""Lines that NumPy parses: what it says is what the lines say, and the rest is left to Polars."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.data.packed_text import packed_lines as module
from assay.data.packed_text.packed_ids import PAD, PackedIds
from assay.data.packed_text.packed_lines import packed_lines
from assay.data.readers import text_blocks
from assay.data.trec import trec_text
from assay.data.trec.trec_text import QRELS, RUN
from assay.files.input_file import InputFile
from assay.plain_number import plain_number

NUMBERS = (
    "0",
    "7",
    "10",
    "0.5",
    ".5",
    "5.",
    "0.1",
    "0.30000000",
    "99.9999",
    "12345678",
    "123456789",
    "1234567.8",
    "0.12345678",
    "0.123456789",
    "100000.25",
    "3.14159265358979",
    "123456789012345",
    "9007199254740991",
    "9007199254740993",
    "0.00000000000001",
    "12345678.1234567",
    "-1",
    "-0.25",
    "-0",
    "-12345678.125",
    "0.7831235527992249",
    "1e-05",
    "-2.5E3",
    "+4",
    "00012",
    "000000.50",
)
IDS = ("d", "D1234567", "D12345678", "clueweb09-en0000-00-00000", "a#b", '"x"', "\\n", "x" * 8, "x" * 9)


def line(query: str, item: str, number: str) -> str:
    return f"{query} Q0 {item} 1 {number} t"


def plain(rows: list[tuple[str, str, str]]) -> module.PackedLines | None:
    return packed_lines("".join(line(*row) + "\n" for row in rows).encode(), RUN, plain_number)


@pytest.mark.parametrize("together", [1, 3, 1 << 13])
@pytest.mark.parametrize("seed", range(5))
def test_lines_say_what_python_reads(seed: int, together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TOGETHER", together)
    monkeypatch.setattr(module, "RARE", 1)
    draw = random.Random(seed)
    queries = sorted(draw.choice(["q", "101", "topic-12345", "query-with-17-chars"]) for _ in range(200))
    rows = [(query, draw.choice(IDS), draw.choice(NUMBERS)) for query in queries]
    rows = [row for row in rows if len(line(*row)) <= module.LONGEST_LINE]
    found = plain(rows)
    assert found is not None
    assert found.numbers.tolist() == [float(number) for _, _, number in rows]
    assert [str(number) for number in found.numbers] == [str(float(number)) for _, _, number in rows]
    assert found.items.texts() == [item for _, item, _ in rows]
    starts = [at for at, row in enumerate(rows) if at == 0 or rows[at - 1][0] != row[0]]
    assert found.starts.tolist() == starts
    assert found.names == [rows[at][0] for at in starts]
    assert found.last.decode() == "".join(line(*row) + "\n" for row in rows[starts[-1] :])


def test_many_decimals_are_the_nearest_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RARE", 1)
    draw = random.Random(5)
    numbers = []
    for _ in range(20_000):
        digits = draw.randrange(1, 17)
        text = str(draw.randrange(10**digits))
        point = draw.randrange(len(text) + 1)
        numbers.append(f"{text[:point]}.{text[point:]}" if draw.random() < 0.8 else text)
    found = plain([("q", "d", number) for number in numbers])
    assert found is not None
    assert found.numbers.tolist() == [float(number) for number in numbers]


def test_judgements_and_their_negative_grades() -> None:
    found = packed_lines(b"q 0 d 1\nq 0 e -1\nr 0 d 0\n" * 40, QRELS, plain_number)
    assert found is not None
    assert found.numbers.tolist() == [1, -1, 0] * 40
    assert found.names[:3] == ["q", "r", "q"]


@pytest.mark.parametrize(
    "number",
    [
        "nan",
        "inf",
        "-",
        ".",
        "-.",
        "1.2.3",
        "1-2",
        "--1",
        "1_000",
        "0x10",
        "12a",
        "1,5",
        "1e400",
        "1/2",
        "1:2",
    ],
)
def test_what_is_no_number_is_left_to_others(number: str) -> None:
    rows = [("q", f"d{at}", "1") for at in range(40)]
    assert plain(rows) is not None
    assert plain([*rows, ("q", "e", number)]) is None


@pytest.mark.parametrize(
    "block",
    [
        b"q1  Q0 1 .5 tag\nq1 Q0 d2 2 .5 tag\n",
        b"q1 Q0 d1 1 .5\nq1 Q0 d2 2 .5 tag more\n",
        b"q1 Q0 d1 1 .5 \n",
        b" Q0 d1 1 .5 tag\n",
        b"q1 Q0 d1 1 .5 tag\n\n",
        b"q1 Q0 d1 1 .5\x0btag\n",
        b"q1 Q0 d\x001 1 .5 tag x\n",
        b"#1 Q0 d1 1 .5 tag\n",
        b"q1 Q0 d1 1 .5 tag\n# Q0 d1 1 .5 tag\n",
        "q1 Q0 d\u00e9 1 .5 tag\n".encode(),
        b"q1 Q0 d1 1 .5 " + b"t" * 60 + b"\n",
        b"q1 Q0 d1 1 .5 tag",
    ],
)
def test_other_lines_are_left_to_others(block: bytes) -> None:
    assert packed_lines(block, RUN, plain_number) is None


def run_of(tmp_path: Path, rows: list[tuple[str, str, str]], end: str = "\n", tab: str = " ") -> Path:
    path = tmp_path / "run.txt"
    path.write_bytes("".join(line(*row).replace(" ", tab) + end for row in rows).encode())
    return path


ROWS = [
    (f"q{query}", f"d{(7 * at) % 31}", f"{(at * 13) % 17}.5")
    for query in range(12)
    for at in range(3 + 5 * (query % 4))
]


@pytest.mark.parametrize("size", [40, 200, 1000, 1 << 20])
@pytest.mark.parametrize("form", ["plain", "crlf", "tabs", "late", "scattered", "open"])
def test_chunks_are_those_of_polars(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, form: str
) -> None:
    rows = list(ROWS)
    if form == "late":  # plain at first
        rows[60] = (rows[60][0], "d\u00e9", "1")
    if form == "scattered":
        rows.append(rows.pop(2))
    path = run_of(tmp_path, rows, "\r\n" if form == "crlf" else "\n", "\t" if form == "tabs" else " ")
    if form == "open":
        path.write_bytes(path.read_bytes()[:-1])
    qrels = "".join(f"{query} 0 {item} 1\n" for query, item, _ in ROWS[::3])
    (tmp_path / "qrels.txt").write_text(qrels)
    (tmp_path / "qrels.csv").write_text(
        "query,item,grade\nq\u00e9,d,1\n" + qrels.replace(" 0 ", " ").replace(" ", ",")
    )
    monkeypatch.setattr(trec_text, "blocks", lambda file, _=None: text_blocks.blocks(file, size))
    monkeypatch.setattr(trec_text, "LONGEST_REST", 400)

    def values(judgements: str) -> dict[str, float]:
        made = assay.evaluate(str(path), qrels=str(tmp_path / judgements), contract="trec_eval/10")
        return {name: value.value for name, value in made.items()}

    packed = values("qrels.txt"), values("qrels.csv")
    monkeypatch.setattr(trec_text, "packed_lines", lambda *_: None)
    assert packed == (values("qrels.txt"), values("qrels.csv"))


def test_a_long_query_is_handed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec_text, "PACKED_BLOCK", 200)
    monkeypatch.setattr(trec_text, "LONGEST_REST", 500)
    rows = [("a", "d", "1"), *(("long", f"d{at}", "2.5") for at in range(200)), ("z", "d", "3")]
    chunks = list(trec_text.read_queries(InputFile(run_of(tmp_path, rows)), RUN))
    assert [name for chunk in chunks for name in chunk.names] == ["a", "long", "z"]
    assert sum(len(chunk.items) for chunk in chunks) == len(rows)


def test_a_repeated_document_is_found(tmp_path: Path) -> None:
    path = run_of(tmp_path, [("q", "d1", "2"), ("q", "d2", "1"), ("q", "d1", "0.5")])
    with pytest.raises(
        assay.errors.InputError, match=r"document 'd1' of query 'q' is already listed \(line 1\)"
    ):
        assay.evaluate(str(path), qrels={"q": {"d1": 1}})


def test_a_repeated_judgement_is_found(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("q 0 d1 1\nr 0 d1 1\nq 0 d1 0\n")
    with pytest.raises(
        assay.errors.InputError, match=r"document 'd1' of query 'q' is already listed \(line 1\)"
    ):
        assay.evaluate({"q": {"d1": 1.0}}, qrels=str(path))


@pytest.mark.parametrize("length", [1, 7, 8, 9, 16, 17, 30])
def test_ids_that_differ_in_one_place(length: int) -> None:
    names = ["x" * length] + ["x" * at + "y" + "x" * (length - at - 1) for at in range(length)]
    packed = PackedIds.of(names)
    assert packed is not None
    assert len(set(packed.hashes.tolist())) == len(names)
    turned = packed.take(np.arange(len(names))[::-1])
    assert turned.texts() == names[::-1]
    assert packed.same(turned).tolist() == [
        name == other for name, other in zip(names, names[::-1], strict=True)
    ]


@pytest.mark.parametrize("names", [["a", "b\u00e9"], ["a\nb"], ["", "a"], ["a\0"]])
def test_ids_of_another_kind_are_not_packed(names: list[str]) -> None:
    assert PackedIds.of(names) is None


def test_no_ids() -> None:
    packed = PackedIds.of([])
    assert packed is not None
    assert (len(packed), packed.texts(), packed.padded) == (0, [], PAD)


def test_a_command_that_reads_plain_text_loads_no_polars(tmp_path: Path) -> None:
    run = run_of(tmp_path, ROWS)
    (tmp_path / "qrels.txt").write_text("q1 0 d7 1\n")
    code = "import sys; from assay.cli import main; main(); print([m for m in sys.modules if 'polars.' in m])"
    command = [
        sys.executable,
        "-c",
        code,
        "evaluate",
        "--qrels",
        str(tmp_path / "qrels.txt"),
        "--run",
        str(run),
    ]
    done = subprocess.run([*command, "-m", "ndcg@10", "--json"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
