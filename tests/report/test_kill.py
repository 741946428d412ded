"""SIGKILL at random moments of a report: the data stay, and a report with its list is whole."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest

import assay
from assay.evaluation.bundle.read import check_hashes
from assay.report import write
from assay.report.write import put
from tests.bundle.test_kill import kill_a_save
from tests.bundle.test_save import contents
from tests.report import worlds

KILLS = 5

# A process that has read all modules and forks one that makes a report for ever. It must not have
# used polars itself: the threads of its pool do not come along.
REPORT = """
import os, sys
import pytest
import matplotlib.backends.backend_agg, matplotlib.backends.backend_pdf, matplotlib.backends.backend_svg
import assay
from tests.report import worlds
worlds.one_figure(pytest.MonkeyPatch())
assay.write_report
for _ in sys.stdin:
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        print("dead", flush=True)
        continue
    print(os.getpid(), flush=True)
    while True:
        assay.write_report(sys.argv[1])
        print("saved", flush=True)
"""


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
    assay.write_report(bundle)
    whole = contents(bundle)
    draw = random.Random()  # new moments every time
    with subprocess.Popen(
        [sys.executable, "-c", REPORT, str(bundle)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        kill_a_save(server, 0, 0)  # it has read its modules
        begin = time.monotonic()
        kill_a_save(server, 1, 0)
        took = time.monotonic() - begin
        for _ in range(KILLS):
            older(bundle, whole)
            kill_a_save(server, 0, draw.uniform(0.1, 1.1) * took)
            stands(bundle, data)
    assay.write_report(bundle)
    assert contents(bundle) == whole
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]  # leftovers were cleared away


def test_an_end_between_any_two_parts(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "page", lambda *_: "new")
    data = contents(bundle)
    assay.write_report(bundle)
    whole = contents(bundle)
    for last in range(5):  # tables, figures, page, list
        older(bundle, whole)
        steps = iter(range(last))

        def step(fresh: Path, target: Path, steps: Iterator[int] = steps) -> None:
            if next(steps, None) is None:
                raise KeyboardInterrupt
            put(fresh, target)

        with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
            patched.setattr(write, "put", step)
            assay.write_report(bundle)
        assert stands(bundle, data) == (last == 4)
    assert contents(bundle) == whole
