from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Written = Callable[..., Path]


@pytest.fixture
def document(tmp_path: Path) -> Written:
    """Write a JSON document to a file of the folder."""

    def write(name: str, content: Any) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(content))
        return path

    return write


@pytest.fixture
def lines(tmp_path: Path) -> Written:
    """Write JSON lines to a file of the folder."""

    def write(name: str, *rows: Any) -> Path:
        path = tmp_path / name
        path.write_text("\n".join(map(json.dumps, rows)))
        return path

    return write
