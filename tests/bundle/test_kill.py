"""SIGKILL at random moments of a save: the folder is the old bundle or the new one."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import assay
from assay.evaluation.bundle.read import check_hashes

from .conftest import PLAN, tables
from .test_save import contents

KILLS = 50
SAVE = """
import sys, time
import assay
from tests.bundle.conftest import tables
corpus, answered = tables(2, 12)
result = assay.evaluate(answered, corpus, by="default")
print("ready", flush=True)
while True:
    result.save(sys.argv[1], overwrite=True)
"""


def test_fifty_kills(tmp_path: Path) -> None:
    corpus, answered = tables(1)
    target = tmp_path / "bundle"
    first = assay.evaluate(answered, corpus, bootstrap=PLAN)
    first.save(target)
    old = contents(target)
    new: dict[str, bytes] | None = None
    generator = random.Random(5)
    seen = set()
    for _ in range(KILLS):
        process = subprocess.Popen(
            [sys.executable, "-c", SAVE, str(target)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(generator.uniform(0, 0.4))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        assert check_hashes(target) == []
        now = contents(target)
        if now != old:
            new = new or now
            assert now == new
        seen.add(now == old)
        if now != old:
            first.save(target, overwrite=True)  # so that every kill has an old one to lose
    assert seen == {True, False}  # some kills came before the first exchange, some after
    assay.load(target)
    corpus, answered = tables(1)
    assay.evaluate(answered, corpus).save(target, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]  # leftovers were cleared away
