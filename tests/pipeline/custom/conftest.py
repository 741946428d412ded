"""A folder with a corpus, a configuration and a module of stages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pipeline.conftest import toy, write

HEAD = """
import numpy as np
import assay
from assay import Learns

class Base(assay.Stage):
    name = "mine"
    needs = ("score",)
    gives = ("mine",)
    ranks = "mine"

    def apply(self, view):
        return {"mine": view.column("score") + 1}
"""
CONFIGURATION = """
corpus = "corpus"
stages = ["lexical", "matching", "scorer", "mystage:Mine"]
[protocol]
folds = 3
crossfit = 2
resamples = 0
[scorer]
iterations = 20
"""
Folder = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Return the path of a configuration with this class `Mine`, and more lines of TOML."""

    def make(code: str = "class Mine(Base): pass", more: str = "", **replaced: str) -> Path:
        if not (tmp_path / "corpus").exists():
            write(toy(24), tmp_path / "corpus")
        (tmp_path / "mystage.py").write_text(HEAD + code + "\n")
        text = CONFIGURATION + more
        for old, new in replaced.items():
            text = text.replace(old, new)
        path = tmp_path / "my.toml"
        path.write_text(text)
        return path

    return make
