"""Every command in windows of 60, 80 and 120 columns: no line too long, no word or number cut."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.cli.app import COMMANDS
from tests.terminal.conftest import EXAMPLE, Lines, in_pipe, on_terminal

pytestmark = pytest.mark.full

WIDE = "2000"
ESCAPE = re.compile("\x1b\\[[0-9;]*m")
LINT = """model,recall@5,precision@5,recall@10,accuracy,sensitivity,specificity,f1
a rather long name of a model,0.9,0.3,0.8,1.2,0.9,0.9,0.95
baseline,0.5,0.5,0.6,0.9,0.7,0.8,0.99
"""
WRITERS = ("report", "synth", "import")
HEADS = {"code", "name", "measure", "rule", "number", "correction", "date", "id"}
"""Heads of first columns: a paragraph begins with the cell itself."""
PIPELINES = {"run", "ablate"}
"""Take minutes; test_pipeline_tables draws what they print."""


def every_command(folder: Path, bundle: Path, small: Path) -> Lines:
    predictions, corpus = str(EXAMPLE / "predictions"), str(EXAMPLE / "corpus")
    qrels, run = str(EXAMPLE / "qrels.txt"), str(EXAMPLE / "run.txt")
    published = folder / "published.csv"
    published.write_text(LINT)
    squad = folder / "squad.json"
    squad.write_text(
        '{"data": [{"title": "t", "paragraphs": [{"context": "It rains. We stay.", "qas": '
        '[{"id": "q", "question": "Why?", "is_impossible": false, "answers": [{"text": "It rains.", "answer_start": 0}]}]}]}]}'
    )
    log = folder / "log.jsonl"
    log.write_text(
        '{"question": "a", "retrieved": ["d1", "d2"], "gold": ["d1"], "confidence": 0.9}\n'
        '{"question": "b", "retrieved": ["d3", "d4"], "gold": [], "confidence": 0.2}\n'
    )
    shown = str(bundle)
    return [
        ["demo"],
        ["evaluate", predictions, "--corpus", corpus, "--ci", "50", "--by", "criterion_id"],
        ["evaluate", "--qrels", qrels, "--run", run, "--contract", "trec_eval/10"],
        ["compare", shown, shown, "--resamples", "50"],
        ["compare", "--qrels", qrels, "--run", run, run, "--resamples", "50", "--all-pairs"],
        ["show", shown],
        ["show", shown, "--worst", "5", "-m", "ndcg@10,brier"],
        ["show", shown, "--query", "p01/sleep", "--with-text", corpus],
        ["show", shown, "--by", "criterion"],
        ["report", shown, "-o", str(folder / "page.html")],
        ["verify", str(small), "--all"],
        ["gate", str(small)],
        ["gate", str(small), "--against", str(small), "--resamples", "50"],
        ["verify", "--per-query", str(small / "per_query.csv")],
        ["evaluate", str(log)],
        ["audit", corpus, "--predictions", predictions],
        ["audit", "--checks"],
        ["lint", str(published), "--n", "100", "--positives", "40"],
        ["lint", "--rules"],
        ["synth", "-o", str(folder / "synthetic"), "--posts", "20"],
        ["import", "squad2", str(squad), "-o", str(folder / "imported")],
        ["contract", "list"],
        ["contract", "show", "assay/1"],
        ["contract", "diff", "assay/1", "paper/1.0"],
        ["metric", "list"],
        ["metric", "show", "ndcg@10"],
        ["completion", "bash"],
    ]


def words(text: str) -> set[str]:
    """Return words and numbers; a path or definition id may break after these marks."""
    text = re.sub(r"Left out to fit(?s:.*?)has\s+them\.", "", ESCAPE.sub("", text))
    text = text.replace("\\\n", "\n").replace("─", " ")
    return set(re.split(r"[\s/,:=|]+", text)) - {""}


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory, bundle: Path, small_bundle: Path) -> list[str]:
    commands = every_command(tmp_path_factory.mktemp("wide"), bundle, small_bundle)
    return in_pipe(commands, COLUMNS=WIDE)


def test_every_command_is_run(tmp_path: Path) -> None:
    run = {each[0] for each in every_command(tmp_path, tmp_path, tmp_path)}
    assert run | PIPELINES == set(COMMANDS)


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_nothing_is_cut(
    columns: int, tmp_path: Path, bundle: Path, small_bundle: Path, wide: list[str]
) -> None:
    commands = every_command(tmp_path, bundle, small_bundle)
    printed = on_terminal(columns, commands, NO_COLOR="1")
    for arguments, text, whole in zip(commands, printed, wide, strict=True):
        if arguments[0] == "completion":
            continue  # a script, whose lines are not for reading
        name = " ".join(arguments[:3])
        assert [line for line in text.splitlines() if len(line) > columns] == [], name
        if arguments[0] in WRITERS:
            continue  # they print the folder, which differs between the two runs
        long = {word for word in words(whole) if len(word) > columns}
        odd = words(text) - words(whole)
        assert {word for word in odd if not any(word in each for each in long)} == set(), name
        if "Left out to fit" not in text and not long:
            assert words(whole) - words(text) <= HEADS, name


def test_a_pipe_looks_like_a_terminal(tmp_path: Path, bundle: Path) -> None:
    commands = [
        ["show", str(bundle)],
        ["show", str(bundle), "--by", "state"],
        ["contract", "show", "paper/1.0"],
    ]
    assert on_terminal(80, commands, NO_COLOR="1") == in_pipe(commands, COLUMNS="80")
    fixed = in_pipe(commands)
    assert fixed == in_pipe(commands, COLUMNS="100", TERM="dumb")
    assert max(len(line) for text in fixed for line in text.splitlines()) <= 100
    assert on_terminal(80, commands, COLUMNS="100", NO_COLOR="1") == fixed


def test_columns_that_are_left_out_are_named(bundle: Path) -> None:
    narrow, wide = (in_pipe([["show", str(bundle)]], COLUMNS=each)[0] for each in ("80", WIDE))
    assert "Left out to fit 80 columns: exact by post, pooled." in narrow or (
        "Left out to fit 80 columns: pooled, exact by post." in narrow
    )
    assert "A wider window or --json has them." in " ".join(narrow.split())
    assert "Left out" not in wide
    assert "exact by post" in wide


def test_colours(bundle: Path, small_bundle: Path) -> None:
    commands = [["show", str(bundle)]]
    plain = in_pipe(commands, COLUMNS="80")
    shown, gate = on_terminal(80, [*commands, ["gate", str(small_bundle)]])
    coloured = [shown]
    for word, colour, text in (
        ("pass", 32, gate),
        ("FAIL", 31, gate),
        ("met", 32, shown),
        ("missed", 31, shown),
    ):
        assert f"\x1b[{colour}m{word}\x1b[0m" in text
    assert [ESCAPE.sub("", text) for text in coloured] == plain
    assert on_terminal(80, commands, NO_COLOR="1") == plain
    assert on_terminal(80, commands, TERM="dumb") == plain
    assert in_pipe(commands, COLUMNS="80", FORCE_COLOR="1") == coloured
    assert in_pipe(commands, COLUMNS="80", FORCE_COLOR="1", NO_COLOR="1") == plain
    assert in_pipe(commands, COLUMNS="80", FORCE_COLOR="0") == plain
