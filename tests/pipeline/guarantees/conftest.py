"""The kinds of runs that every guarantee is tested on, and one undisturbed run of each."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.pipeline.kinds import KINDS, Kind
from tests.pipeline.test_run import called


def every_kind(quick: Kind | None = None) -> pytest.MarkDecorator:
    """Test every kind; with `quick`, only this one in `make test`, because each takes some seconds."""
    params = [
        pytest.param(each, id=each.name, marks=() if quick in (None, each) else pytest.mark.full)
        for each in KINDS
    ]
    return pytest.mark.parametrize("kind", params, indirect=True)


@pytest.fixture(scope="session")
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


@dataclass(frozen=True)
class Finished:
    """A whole run that nobody disturbed; tests take copies of its folder."""

    kind: Kind
    folder: Path
    took: float


@pytest.fixture(scope="session")
def finished(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder = tmp_path_factory.mktemp("finished")
    begin = time.monotonic()
    done = called("run", kind.configured(folder), "-o", folder / "out", "--no-report")
    assert done.returncode == 0, done.stderr
    return Finished(kind, folder, time.monotonic() - begin)
