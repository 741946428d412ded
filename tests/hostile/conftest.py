"""A command in this process, and the example as a folder that a test may spoil."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

import assay
from tests.command import exit_code

EXAMPLE = Path(assay.__file__).parent / "example"


@dataclass(frozen=True, slots=True)
class Ran:
    code: int
    out: str
    err: str

    def refused(self, *words: str) -> str:
        """Exit code 2, one sentence a fault, and all of these words in it."""
        assert self.code == 2, (self.code, self.err)
        assert "Traceback" not in self.err
        assert "fault of assay" not in self.err
        assert all(line.startswith("assay: ") for line in self.err.splitlines()), self.err
        assert all(word in self.err for word in words), self.err
        return self.err


Call = Callable[..., Ran]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Call:
    def run(*arguments: object) -> Ran:
        capfd.readouterr()
        code = exit_code(monkeypatch, *arguments)
        said = capfd.readouterr()
        return Ran(code, said.out, said.err)

    return run


@pytest.fixture
def example(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "example"))


@pytest.fixture(scope="session")
def made_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    result = assay.evaluate(EXAMPLE / "predictions", EXAMPLE / "corpus", measures=["auroc", "ndcg@3"])
    return result.save(tmp_path_factory.mktemp("bundle") / "bundle")


@pytest.fixture
def bundle(made_bundle: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_bundle, tmp_path / "bundle"))


def rehash(bundle: Path) -> None:
    """Let the manifest agree with what is there."""
    path = bundle / "MANIFEST.json"
    document = json.loads(path.read_text())
    for name in document["files"]:
        if (bundle / name).is_file():
            document["files"][name] = sha256((bundle / name).read_bytes()).hexdigest()
    path.write_text(json.dumps(document))


def change_master(bundle: Path, change: Callable[[dict[str, object]], object]) -> None:
    path = bundle / "metrics_master.json"
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    rehash(bundle)
