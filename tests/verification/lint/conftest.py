"""Files of figures, and the command line as a user calls it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.command import exit_code


@dataclass(frozen=True, slots=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def codes(self) -> list[str]:
        return [each["code"] for each in json.loads(self.out)["findings"]]


@pytest.fixture
def call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ran]:
    """`assay lint` on a text, which is written to a file of this name."""

    def run(text: str | bytes | None, *options: str, name: str = "figures.csv") -> Ran:
        path = tmp_path / name
        if isinstance(text, bytes):
            path.write_bytes(text)
        elif text is not None:
            path.write_text(text, encoding="utf-8")
        capsys.readouterr()
        return Ran(exit_code(monkeypatch, "lint", path, *options), *capsys.readouterr())

    return run


Found = dict[str, Any]
