"""Run one tool in a separate process: `child.py once|serve TOOL FOLDER FORM`.

`once` prints the values. `serve` loads, evaluates once to warm up, and then measures one
evaluation for each line of input.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
from pathlib import Path

from adapters import prepare


def cpu_seconds() -> float:
    """Return user and system time of this process, all threads, and its children."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def main(mode: str, tool: str, folder: str, form: str) -> None:
    action = prepare(tool, Path(folder), form)
    values = action()
    print(json.dumps(values), flush=True)
    if mode == "once":
        return
    for _ in sys.stdin:
        gc.collect()
        cpu, wall = cpu_seconds(), time.perf_counter()
        values = action()
        taken = {"cpu": cpu_seconds() - cpu, "wall": time.perf_counter() - wall}
        print(json.dumps(taken | {"values": values}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:5])
