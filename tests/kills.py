"""A process that writes the same folder again and again, until SIGKILL comes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

# It has read all modules and forks one that writes for ever, as often as it is told to. It must not
# have used polars itself: the threads of its pool do not come along.
SERVER = """
import os, sys
from importlib import import_module
module = import_module(sys.argv[1])
for _ in sys.stdin:
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        print("dead", flush=True)
        continue
    write = module.writer(sys.argv[2])
    print(os.getpid(), flush=True)
    while True:
        write()
        print("saved", flush=True)
"""
Kill = Callable[[int, float], None]


@contextmanager
def writing(module: str, folder: Path) -> Iterator[Kill]:
    """`kill(after, wait)`: have `writer(folder)` of a module write until it is killed.

    That is so many seconds after so many times.
    """
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, module, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        told, said = server.stdin, server.stdout

        def kill(after: int, wait: float) -> None:
            print(file=told, flush=True)
            child = int(said.readline())
            for _ in range(after):
                assert said.readline() == "saved\n"
            time.sleep(wait)
            os.kill(child, signal.SIGKILL)
            while (line := said.readline()) != "dead\n":
                assert line == "saved\n"

        yield kill
