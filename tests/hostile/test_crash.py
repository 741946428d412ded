"""What nobody foresaw: one sentence, exit code 3, and a report without input text."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay.cli import crash
from assay.data.readers import table_files
from assay.errors import InternalError
from assay.metrics.core.entry import Scored
from assay.metrics.core.reduce import Columns
from assay.metrics.core.registry import metric
from tests.hostile.conftest import Call

SECRET = "a sentence of a post"


class Panic(BaseException):
    """As Polars' panics are: no Exception."""


def _recurse(depth: int = 0) -> int:
    return _recurse(depth + 1) + 1


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError(SECRET),
        MemoryError(SECRET),
        OverflowError(SECRET),
        Panic(SECRET),
        KeyError(SECRET),
        AssertionError(SECRET),
        pl.exceptions.PanicException(SECRET),
    ],
)
def test_an_unforeseen_error(
    error: BaseException, call: Call, example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(table_files, "require", fail)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ran = call("evaluate", example / "predictions", "--corpus", example / "corpus")
    assert ran.code == 3
    assert ran.out == ""
    first, second = ran.err.splitlines()
    assert first.startswith("assay: a fault of assay, not of your input: ")
    assert type(error).__name__ in first
    assert "assay/data/readers/table_files.py:" in first
    report = Path(re.search(r"with (\S+),", second)[1])  # type: ignore[index]
    text = report.read_text()
    assert type(error).__name__ in text
    assert "assay/data/readers/table_files.py:" in text
    assert SECRET not in text + ran.err
    assert str(example) not in text
    assert report.stat().st_mode & 0o077 == 0


def test_endless_recursion_is_cut(
    call: Call, example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_files, "require", lambda *_: _recurse())
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert call("evaluate", example / "predictions", "--corpus", example / "corpus").code == 3
    (report,) = tmp_path.glob("assay-fault-*")
    text = report.read_text()
    assert "RecursionError" in text
    assert len(text.splitlines()) < 3 * crash.FRAMES


def test_no_place_for_the_report(call: Call, example: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "require", lambda *_: _recurse())
    monkeypatch.setattr(tempfile, "mkstemp", lambda **_: (_ for _ in ()).throw(OSError("full")))
    ran = call("evaluate", example / "predictions", "--corpus", example / "corpus")
    assert ran.code == 3
    assert len(ran.err.splitlines()) == 1


def test_a_measure_outside_its_range_is_a_fault_of_assay() -> None:
    columns = Columns({"value": np.array([2.0])}, None)
    scored = Scored(metric("mrr"), columns, np.array([True]))
    with pytest.raises(InternalError, match=r"outside \[0.0, 1.0\]") as caught:
        scored.reduce(np.ones((1, 1)))
    assert caught.value.exit_code == 3


def test_other_code_in_a_folder_named_assay_is_not_blamed(
    call: Call, example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: dict[str, Any] = {}
    code = "def fail(*_):\n    raise RuntimeError"
    exec(compile(code, "/home/user/assay/tests/own.py", "exec"), names)
    monkeypatch.setattr(table_files, "require", names["fail"])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ran = call("evaluate", example / "predictions", "--corpus", example / "corpus")
    assert "assay/data/readers/table_files.py:" in ran.err.splitlines()[0]
