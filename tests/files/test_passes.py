"""A bundle of a run: read twice, scoring and candidates, and never held as a whole."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pytest

import assay
from assay.data.readers import text_blocks
from assay.data.runs import Chunk, JudgedRun
from assay.data.trec import trec_text
from assay.files.input_file import InputFile

QUERIES, DEPTH = 40, 5


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> JudgedRun:
    monkeypatch.setattr(text_blocks, "BLOCK", 256)
    monkeypatch.setattr(trec_text, "PACKED_BLOCK", 256)
    rows = [(query, at) for query in range(QUERIES) for at in range(DEPTH)]
    lines = [f"q{query} Q0 d{at} {at + 1} {DEPTH - at} r\n" for query, at in rows]
    (tmp_path / "run.txt").write_text("".join(lines))
    (tmp_path / "scattered.txt").write_text("".join(lines[1::2] + lines[::2]))
    (tmp_path / "qrels.txt").write_text("".join(f"q{query} 0 d1 1\n" for query in range(QUERIES)))
    return assay.read_trec(tmp_path / "qrels.txt", tmp_path / "run.txt")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    plain = InputFile.opened

    @contextmanager
    def counted(file: InputFile) -> Iterator[BinaryIO]:
        names.append(file.name)
        with plain(file) as raw:
            yield raw

    monkeypatch.setattr(InputFile, "opened", counted)
    return names


def test_two_passes(judged: JudgedRun, opened: list[str], tmp_path: Path) -> None:
    result = assay.evaluate(judged, measures=["ndcg@10"])
    assert opened == ["run.txt"]
    result.save(tmp_path / "bundle")
    assert opened == ["run.txt", "run.txt"]


def test_a_scattered_run_is_not_tried_again(judged: JudgedRun, opened: list[str], tmp_path: Path) -> None:
    scattered = assay.read_trec(tmp_path / "qrels.txt", tmp_path / "scattered.txt")
    result = assay.evaluate(scattered, measures=["ndcg@10"])
    opened.clear()
    result.save(tmp_path / "bundle")
    assert opened == ["scattered.txt"]


def test_chunks_are_let_go(judged: JudgedRun, tmp_path: Path) -> None:
    seen: list[weakref.ref[object]] = []
    most = 0

    def watched() -> Iterator[Chunk]:
        nonlocal most
        for chunk in judged.run.chunks():
            seen.append(weakref.ref(chunk.scores))
            most = max(most, sum(each() is not None for each in seen))
            yield chunk
            del chunk

    run = replace(judged.run, chunks=watched)
    assay.evaluate(replace(judged, run=run), measures=["ndcg@10"]).save(tmp_path / "bundle")
    assert len(seen) >= 20
    assert most <= 3
