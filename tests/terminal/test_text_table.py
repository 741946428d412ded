"""Tables in any window: wrapped at words, columns left out by priority, several tables, paragraphs."""

from __future__ import annotations

import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.cli.render import pipeline_tables
from assay.experiment.run_baselines import BESIDE
from assay.text_table import TextTable, page
from assay.text_wrapping import longest_word, prose, width_of, wrapped

NUMBERS = TextTable(
    "Numbers",
    ("measure", "", "k=1", "k=3", "k=5"),
    (
        ("ndcg@k", "↑", "0.5333", "0.7105", "0.7493"),
        ("  95% CI", "", "[0.3, 0.6]", "[0.4, 0.8]", "[0.4, 0.8]"),
    ),
    (0, 1),
)
MIXED = TextTable(
    "Mixed",
    ("measure", "value", "95% CI", "exact by post", "pooled"),
    (("auroc", "0.9167 ± 0.144", "[0.7, 1.0]", "[0.6, 0.9]", "0.93"),),
    optional=(4, 3),
)
TEXTS = TextTable(
    "Texts",
    ("code", "verdict", "why"),
    (("A101", "impossible", "shares are between zero and one, and this one is not"), ("A2", "unusual", "")),
    (0, 1, 2),
)
WORDS = st.lists(st.text("abé日0.±@", min_size=1, max_size=9), min_size=0, max_size=12).map(" ".join)


def test_as_wide_as_it_needs() -> None:
    assert MIXED.plain() == (
        "Mixed\n"
        "measure           value      95% CI  exact by post  pooled\n"
        "──────────────────────────────────────────────────────────\n"
        "auroc    0.9167 ± 0.144  [0.7, 1.0]     [0.6, 0.9]    0.93"
    )
    assert MIXED.plain(58) == MIXED.plain() == MIXED.plain(1000)


def test_heads_wrap_before_columns_go() -> None:
    assert MIXED.plain(56).splitlines()[1:3] == [
        "                                        exact by",
        "measure           value      95% CI         post  pooled",
    ]


def test_columns_go_by_priority() -> None:
    shown = MIXED.plain(48)
    assert shown.endswith("\nLeft out to fit 48 columns: pooled.")
    assert "[0.6, 0.9]" in shown
    shown = MIXED.plain(40)
    assert shown.endswith("\nLeft out to fit 40 columns: exact by\npost, pooled.")
    assert "[0.6, 0.9]" not in shown
    assert "0.9167 ± 0.144" in shown


def test_one_note_for_a_whole_page() -> None:
    text = page([MIXED, "A note.", MIXED, "The last word."], 40, more=" See the JSON.")
    assert text.count("Left out") == 1
    assert " ".join(text.split()).endswith("exact by post, pooled. See the JSON. The last word.")


def test_numbers_become_several_tables() -> None:
    assert NUMBERS.plain(40) == (
        "Numbers\n"
        "measure             k=1         k=3\n"
        "───────────────────────────────────\n"
        "ndcg@k    ↑      0.5333      0.7105\n"
        "  95% CI     [0.3, 0.6]  [0.4, 0.8]\n"
        "\n"
        "measure             k=5\n"
        "───────────────────────\n"
        "ndcg@k    ↑      0.7493\n"
        "  95% CI     [0.4, 0.8]"
    )


def test_texts_wrap_then_become_paragraphs() -> None:
    lines = TEXTS.plain(60).splitlines()
    assert lines[3].startswith("A101  impossible  shares are between")
    assert lines[4].startswith(" " * 18)
    narrow = TextTable("T", ("a", "b", "c"), (("x", "one two " * 9, "three four " * 9),), (0, 1, 2)).plain(40)
    assert narrow.splitlines()[2:4] == ["x", "  b: one two one two one two one two one"]


def test_a_table_of_one_row_and_no_rows() -> None:
    assert TextTable("Empty", ("a", "b"), ()).plain(40) == "Empty\na  b\n────"
    wide = TextTable("Empty", ("a" * 30, "b" * 30), ()).plain(40)
    assert max(map(width_of, wide.splitlines())) <= 40


@given(
    st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=4),
    st.integers(40, 90),
    st.sampled_from([(0,), (0, 1), (0, 2), (0, 1, 2)]),
    st.sampled_from([(), (2,), (2, 1)]),
)
def test_no_line_is_too_long_and_no_word_is_cut(
    rows: list[tuple[str, ...]], width: int, left: tuple[int, ...], optional: tuple[int, ...]
) -> None:
    table = TextTable("A title of the table", ("first", "second one", "third"), tuple(rows), left, optional)
    shown = table.plain(width)
    assert max(map(width_of, shown.splitlines())) <= width
    known = set(re.split(r"[\s:]+", table.plain())) | {"Left", "out", "to", "fit", str(width), "columns"}
    assert {word.rstrip(".,") for word in re.split(r"[\s:]+", shown) if "─" not in word} <= {
        word.rstrip(".,") for word in known
    }


@given(WORDS, st.integers(1, 40), st.integers(0, 4))
def test_wrapping_keeps_the_text(text: str, width: int, hanging: int) -> None:
    lines = wrapped(text, width, hanging)
    assert "".join("".join(lines).split()) == "".join(text.split())
    room = width - hanging
    if room >= 2:  # a wide character takes two columns
        assert max(map(width_of, lines)) <= width
    if longest_word(text) <= room:
        assert " ".join(lines).split() == text.split()


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("on all queries, n = 36", 18, ["on all queries,", "n = 36"]),
        ("runs/2026/first/run.txt", 12, ["runs/2026/", "first/", "run.txt"]),
        ("map@10:denominator=min_r_k,cut=k", 20, ["map@10:denominator=", "min_r_k,cut=k"]),
        ("日本語日本語", 5, ["日本", "語日", "本語"]),
    ],
)
def test_where_text_breaks(text: str, width: int, lines: list[str]) -> None:
    assert wrapped(text, width) == lines


def test_a_command_can_still_be_copied() -> None:
    line = "$ assay evaluate --qrels qrels.txt --run run.txt --contract trec_eval/10 -m map,recip_rank --k 5"
    shown = prose(line, 50)
    assert max(map(len, shown.splitlines())) <= 50
    assert " ".join(shown.replace("\\\n", " ").split()) == line
    assert not re.search(r"--\w+ \\\n", shown), "an option stays with its value"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_pipeline_tables(width: int) -> None:
    """What `assay run` prints beyond a result; `assay run` itself takes minutes."""
    measures = {name: [0.5, 0.25] for name in BESIDE} | {f"{name} std": [0.01, 0.02] for name in BESIDE}
    baselines = pl.DataFrame({"system": ["the whole system", "highest score"], **measures})
    thresholds = pl.DataFrame(
        {
            "fold": ["0", "1"],
            "threshold": ["tau_neg"] * 2,
            "chosen_on": ["TUNE"] * 2,
            "rule": ["sensitivity of at least 0.995"] * 2,
            "certified": [True, False],
            "positives": [40, 30],
            "units": [35.5, 21.2],
            "value": [0.1, 0.2],
            "eval": [0.99, 0.98],
            "eval_share": [0.5, 0.4],
        }
    )
    tables = [pipeline_tables.baselines_table(baselines), pipeline_tables.thresholds_table(thresholds)]
    text = page(tables, width)
    assert "\\n" not in text
    assert max(map(len, text.splitlines())) <= width
    for name in BESIDE:
        assert name in text.split()
    assert text.count("0.5000 ± 0.010") == len(BESIDE)
