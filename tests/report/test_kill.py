"""SIGKILL at random moments of a report: the data stay, and a report with its list is whole."""

from __future__ import annotations

import json
import random
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path

import matplotlib.backends.backend_agg
import matplotlib.backends.backend_pdf
import matplotlib.backends.backend_svg  # noqa: F401 # so that a process that forks has read them
import pytest

from assay.evaluation.bundle.bundle_files import check_hashes
from assay.files.commit_steps import Step
from assay.report import report_folder
from assay.report.report_folder import write_report
from tests.bundle.test_save import contents
from tests.kills import writing
from tests.report import worlds

pytestmark = pytest.mark.full

KILLS = 5


def writer(folder: str) -> Callable[[], object]:
    worlds.one_figure(pytest.MonkeyPatch())
    return partial(write_report, folder)


def older(folder: Path, whole: dict[str, bytes]) -> None:
    """A report with another page and another table, as an earlier version might have made it."""
    made = json.loads(whole["REPORT.json"])
    for name in whole:
        if name == "report.html" or name.startswith("tables/"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(b"of old")
            made["files"][name] = sha256(b"of old").hexdigest()
    (folder / "REPORT.json").write_text(json.dumps(made))


def stands(folder: Path, data: dict[str, bytes]) -> bool:
    """The data are as they were; whether there is a report, and if so, it is whole."""
    assert check_hashes(folder) == []
    now = contents(folder)
    assert {name: now[name] for name in data} == data
    if "REPORT.json" not in now:
        return False
    listed = json.loads(now["REPORT.json"])["files"]
    assert listed == {name: sha256(now[name]).hexdigest() for name in listed}
    return True


@pytest.fixture
def bundle(example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    worlds.one_figure(monkeypatch)
    return Path(shutil.copytree(example, tmp_path / "bundle"))


def test_kills_while_a_report_is_made(bundle: Path, tmp_path: Path) -> None:
    data = contents(bundle)
    write_report(bundle)
    whole = contents(bundle)
    draw = random.Random()  # new moments every time
    with writing("tests.report.test_kill", bundle) as kill:
        kill(0, 0)  # it has read its modules
        begin = time.monotonic()
        kill(1, 0)
        took = time.monotonic() - begin
        for _ in range(KILLS):
            older(bundle, whole)
            kill(0, draw.uniform(0.1, 1.1) * took)
            stands(bundle, data)
    write_report(bundle)
    assert contents(bundle) == whole
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]  # leftovers were cleared away


def test_an_end_between_any_two_parts(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an interrupt comes after is undone; a kill leaves a report without its list."""
    monkeypatch.setattr(report_folder, "page", lambda *_: "new")
    data = contents(bundle)
    write_report(bundle)
    whole = contents(bundle)
    do = Step.do
    for last in range(6):  # the old list goes; tables, figures, page, the new list
        older(bundle, whole)
        before = contents(bundle)
        steps = iter(range(last))

        def step(self: Step, steps: Iterator[int] = steps) -> None:
            if next(steps, None) is None:
                raise KeyboardInterrupt
            do(self)

        with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
            patched.setattr(Step, "do", step)
            write_report(bundle)
        assert stands(bundle, data)
        assert contents(bundle) == (whole if last == 5 else before)
