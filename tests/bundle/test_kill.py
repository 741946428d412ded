"""SIGKILL at random moments of a save: the folder is the old bundle or the new one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import assay
from assay.contracts.load import parse
from assay.evaluation.bundle.read import check_hashes

from .conftest import PLAN, tables
from .test_save import contents

KILLS = 50
FEW = parse('id = "few"\nk = [3]\n[measures]\nr = "recall@3"\nf = "f1:at=tune_f1"\n', "few.toml")
"""Every file of a bundle is there, but a save is short: most kills come in the midst of one."""

# A process that has read all modules and forks one that saves for ever, fifty times. It must not
# have used polars itself: the threads of its pool do not come along.
SAVE = """
import os, sys
import assay
from tests.bundle.conftest import tables
from tests.bundle.test_kill import FEW
assay.evaluate
for _ in sys.stdin:
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        print("dead", flush=True)
        continue
    corpus, answered = tables(2, 12)
    result = assay.evaluate(answered, corpus, contract=FEW, by="default")
    print(os.getpid(), flush=True)
    while True:
        result.save(sys.argv[1], overwrite=True)
        print("saved", flush=True)
"""


def kill_a_save(server: subprocess.Popen[str], after: int, wait: float) -> None:
    """Have a process save again and again; kill it a while after so many saves were done."""
    assert server.stdin is not None
    assert server.stdout is not None
    print(file=server.stdin, flush=True)
    child = int(server.stdout.readline())
    for _ in range(after):
        assert server.stdout.readline() == "saved\n"
    time.sleep(wait)
    os.kill(child, signal.SIGKILL)
    while (line := server.stdout.readline()) != "dead\n":
        assert line == "saved\n"


def test_fifty_kills(tmp_path: Path) -> None:
    corpus, answered = tables(1)
    target = tmp_path / "bundle"
    first = assay.evaluate(answered, corpus, contract=FEW, bootstrap=PLAN)
    first.save(target)
    old = contents(target)
    new: dict[str, bytes] | None = None
    generator = random.Random(5)
    seen = set()
    with subprocess.Popen(
        [sys.executable, "-c", SAVE, str(target)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        for number in range(KILLS):
            kill_a_save(server, number % 2, generator.uniform(0, 0.15))
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
