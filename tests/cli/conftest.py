"""A small corpus with its answers, on disk, and the command line as a user calls it."""

from __future__ import annotations

import csv
import gzip
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pytest
from tests.command import exit_code

Row = dict[str, object]
Tables = dict[str, list[Row]]

SECRET = "XQZ-7141-SECRET"
QUERY = ("post_id", "criterion_id")

# Ranks of gold on the six queries with evidence: p1 A.1: 2, 3 of R = 2; p2 A.1: 1 of 1;
# p2 A.2: none of 1; p3 A.1: not answered, R = 1; p4 A.1: 1, 3 of 2; p4 A.2: 2 of 1.
SENTENCES = {"p1": 4, "p2": 3, "p3": 2, "p4": 3}
GOLD = "p1 A.1 1|p1 A.1 3|p2 A.1 2|p2 A.2 1|p3 A.1 1|p4 A.1 1|p4 A.1 2|p4 A.2 3"
CANDIDATES = (
    "p1 A.1 2 .9|p1 A.1 1 .8|p1 A.1 3 .7|p1 A.1 4 .1|p1 A.2 1 .3|p2 A.1 2 .6|p2 A.1 1 .5|"
    "p2 A.2 3 .4|p2 A.2 2 .2|p3 A.2 1 .7|p4 A.1 1 .9|p4 A.1 3 .8|p4 A.1 2 .2|p4 A.2 1 .6|"
    "p4 A.2 3 .5"
)
DECISIONS = (
    "p1 A.1 .8 2 POS|p1 A.2 .1 0 NEG|p2 A.1 .9 1 POS|p2 A.2 .3 1 UNCERTAIN|"
    "p3 A.1 .4 0 UNCERTAIN|p3 A.2 .6 1 UNCERTAIN|p4 A.1 .7 3 POS|p4 A.2 .2 2 UNCERTAIN"
)


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command left: its exit code, stdout and stderr."""

    code: int
    out: str
    err: str

    def ok(self) -> Ran:
        assert (self.code, self.err) == (0, ""), self.err
        return self

    def refused(self, *faults: tuple[str, ...]) -> None:
        """Exit code 2, nothing on stdout, and one line a fault that has all of its words."""
        assert self.code == 2, (self.code, self.out, self.err)
        assert self.out == ""
        assert "Traceback" not in self.err
        assert len(self.err) < 10_000
        lines = self.err.splitlines()
        left = list(lines)
        for words in faults:
            found = [line for line in left if all(word in line for word in words)]
            assert found, f"no line of {lines} has all of {words}"
            left.remove(found[0])
        assert not left, f"nobody asked for {left}"
        for line in lines:
            assert line.startswith("assay: ")
            assert ";" in line, f"{line!r} does not say what was expected"


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.split("|")]


def sentence(post: str, number: str) -> str:
    return f"{post}s{number}"


def corpus_tables() -> Tables:
    return {
        "sentences": [
            {
                "post_id": post,
                "sent_uid": sentence(post, str(at + 1)),
                "position": at,
                "text": f"{SECRET} of {post}, number {at}",
            }
            for post, count in SENTENCES.items()
            for at in range(count)
        ],
        "criteria": [{"criterion_id": name, "text": f"criterion {name}"} for name in ("A.1", "A.2")],
        "gold": [
            {"post_id": post, "criterion_id": criterion, "sent_uid": sentence(post, number)}
            for post, criterion, number in rows(GOLD)
        ],
    }


def prediction_tables() -> Tables:
    return {
        "candidates": [
            {
                "post_id": post,
                "criterion_id": criterion,
                "sent_uid": sentence(post, number),
                "score": float(score),
            }
            for post, criterion, number, score in rows(CANDIDATES)
        ],
        "decisions": [
            {
                "post_id": post,
                "criterion_id": criterion,
                "prob": float(prob),
                "selected_k": int(selected),
                "state": state,
                "tau_neg": 0.2,
                "tau_pos": 0.7,
            }
            for post, criterion, prob, selected, state in rows(DECISIONS)
        ],
    }


def csv_bytes(table: list[Row]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(table[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return text.getvalue().encode()


@dataclass
class World:
    """Tables to change, raw files to put in their place, and the command on what comes out."""

    folder: Path
    call: Callable[..., Ran]
    secret: str = SECRET
    corpus: Tables = field(default_factory=corpus_tables)
    predictions: Tables = field(default_factory=prediction_tables)
    raw: dict[str, bytes] = field(default_factory=dict)  # "candidates.csv" to its bytes

    @property
    def outputs(self) -> Path:
        path = self.folder / "outputs"
        path.mkdir(exist_ok=True)
        return path

    def table(self, name: str) -> list[Row]:
        return (self.corpus if name in self.corpus else self.predictions)[name]

    def put(self, name: str, row: int, **values: object) -> None:
        """Change a row, by the number that it has in a CSV file (the header is row 1)."""
        table = self.table(name)
        table[row - 2] = {**table[row - 2], **values}

    def add(self, name: str, **values: object) -> None:
        table = self.table(name)
        table.append({**table[-1], **values})

    def rename(self, name: str, old: str, new: str) -> None:
        table = self.table(name)
        table[:] = [{new if key == old else key: row[key] for key in row} for row in table]

    def write(self, ending: str = ".csv") -> tuple[Path, Path]:
        """The folders of predictions and corpus."""
        place = self.folder / ending.strip(".")
        homes = place / "system", place / "corpus"
        for home, tables in zip(homes, (self.predictions, self.corpus), strict=True):
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir(parents=True)
            for name, table in tables.items():
                raw = self.raw.get(name + ending)
                if raw is not None:
                    (home / (name + ending)).write_bytes(raw)
                elif ending == ".parquet":
                    frame = pl.DataFrame(table, infer_schema_length=None, strict=False)
                    frame.write_parquet(home / (name + ending))
                else:
                    data = csv_bytes(table)
                    packed = gzip.compress(data) if ending.endswith(".gz") else data
                    (home / (name + ending)).write_bytes(packed)
        return homes

    def evaluate(self, *options: str, ending: str = ".csv") -> Ran:
        predictions, corpus = self.write(ending)
        return self.call("evaluate", str(predictions), "--corpus", str(corpus), *options)

    def refused(self, *faults: tuple[str, ...], ending: str = ".csv") -> None:
        """The command refuses the input, names every fault and writes nothing."""
        target = self.outputs / "per_query.csv"
        ran = self.evaluate("--per-query", str(target), ending=ending)
        ran.refused(*faults)
        assert not list(self.outputs.iterdir())
        assert self.secret not in ran.err

    def copy(self) -> World:
        return deepcopy(self)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """The command line in this process; what is not caught there fails the test."""

    def run(*arguments: str | Path) -> Ran:
        capsys.readouterr()
        return Ran(exit_code(monkeypatch, *arguments), *capsys.readouterr())

    return run


@pytest.fixture
def command() -> Callable[..., Ran]:
    """The command line in a separate process."""

    def run(*arguments: str | Path) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "assay.cli", *map(str, arguments)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            timeout=60,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def world(tmp_path: Path, call: Callable[..., Ran]) -> World:
    return World(tmp_path, call)


@dataclass
class Plain:
    """Judgements and a run as TREC text, and the command on them."""

    folder: Path
    call: Callable[..., Ran]
    qrels: bytes = b"q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 2\nq2 0 d1 1\nq3 0 d9 1\n"
    run: bytes = (
        b"q1 Q0 d2 1 0.9 t\nq1 Q0 d1 2 0.8 t\nq1 Q0 d3 3 0.7 t\n"
        b"q2 Q0 d1 1 3.5 t\nq2 Q0 d7 2 2.5 t\nq3 Q0 d1 1 0.2 t\nq3 Q0 d9 2 0.1 t\n"
    )
    names: tuple[str, str] = ("qrels.txt", "run.txt")

    def write(self) -> tuple[Path, Path]:
        qrels, run = (self.folder / name for name in self.names)
        qrels.write_bytes(self.qrels)
        run.write_bytes(self.run)
        return qrels, run

    def evaluate(self, *options: str) -> Ran:
        qrels, run = self.write()
        return self.call("evaluate", "--qrels", str(qrels), "--run", str(run), *options)

    def refused(self, *faults: tuple[str, ...]) -> None:
        outputs = self.folder / "outputs"
        outputs.mkdir()
        self.evaluate("--per-query", str(outputs / "per_query.csv")).refused(*faults)
        assert not list(outputs.iterdir())


@pytest.fixture
def plain(tmp_path: Path, call: Callable[..., Ran]) -> Plain:
    return Plain(tmp_path, call)
