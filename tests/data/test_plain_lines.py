"""Blocks that Polars parses whole: only where each line, split by hand, says the same."""

from __future__ import annotations

import random
import re

import pytest

from assay.data.trec.trec_text import QRELS, RUN, Layout, _is_plain, parse_block
from assay.errors import OddLineError

PIECES = ("q1", "d\u00e9", "0.5", "7", " ", "\t", "\r", "\n", "\r\n", "  ", "#", "\x01", "\u00a0", "x")


def by_hand(block: bytes, layout: Layout) -> list[tuple[str, str, float]] | None:
    """Query, item and number of every line; None where one lacks a field, or has too many."""
    rows = []
    for line in block.decode().split("\n"):
        fields = [each for each in re.split("[ \t\r]+", line) if each]
        if not fields or line.startswith("#"):
            continue
        many = len(fields) - len(layout.fields)
        if many < 0 or (many > 0 and not layout.more):
            return None
        named = dict(zip(layout.fields, fields, strict=False))
        rows.append((named[layout.query], named[layout.item], float(named[layout.number])))
    return rows


def mangled(draw: random.Random, layout: Layout, separator: str) -> bytes:
    """Lines as they should be, with a few pieces put in, taken out or exchanged."""
    values = {layout.number: "0.25"}
    lines = [
        separator.join(values.get(name, f"{name[0]}{at}") for name in layout.fields)
        for at in range(draw.randrange(1, 5))
    ]
    text = "\n".join(lines) + draw.choice(["\n", ""])
    for _ in range(draw.randrange(3)):
        at = draw.randrange(len(text) + 1)
        text = text[:at] + draw.choice(PIECES) + text[at + draw.randrange(3) :]
    return text.encode()


@pytest.mark.parametrize("separator", [" ", "\t"])
@pytest.mark.parametrize("layout", [RUN, QRELS], ids=["run", "qrels"])
def test_what_is_parsed_whole_is_what_the_lines_say(layout: Layout, separator: str) -> None:
    draw = random.Random(3)
    parsed = 0
    for _ in range(1500):
        block = mangled(draw, layout, separator)
        try:
            frame = parse_block(block, layout)
        except OddLineError:
            continue
        parsed += 1
        assert frame.rows() == by_hand(block, layout), block
    assert parsed > 400


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_plain_lines_are_known_as_such(end: bytes) -> None:
    block = end.join([b"q1 Q0 d1 1 .5 tag", b"q1 Q0 d2 2 .25 tag", b""])
    assert parse_block(block, RUN).rows() == [("q1", "d1", 0.5), ("q1", "d2", 0.25)]
    assert _is_plain(block.replace(b"\r", b""), b" ", RUN)


@pytest.mark.parametrize(
    "line",
    [
        b"q1  Q0 1 .5 tag\nq1 Q0 d2 2 .5 tag\n",  # a field that is empty, the separators are five
        b"q1 Q0 d1 1 .5\nq1 Q0 d2 2 .5 tag more\n",  # one field less here, one more there
        b"q1 Q0 d1 1 .5 \nq1 Q0 d2 2 .5 tag\n",
        b" Q0 d1 1 .5 tag\n",
        b"q1 Q0 d1 1 .5 tag\n\n",
        b"q1 Q0 d1 1 .5\ttag\n",
        b"#1 Q0 d1 1 .5 tag\n",
        b"q1 Q0 d\r1 1 .5 tag\n",
    ],
)
def test_other_lines_are_not(line: bytes) -> None:
    assert not _is_plain(line, b" ", RUN)
