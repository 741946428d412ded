"""`python -m tests.forgery.run [N]`: forge N bundles (default 1,000) and print who is found.

Exits with 1 where a forgery with the originals passes, or where without them another class passes
than the ones documented.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from tests.forgery.forger import CLASSES, NEEDS_ORIGINALS, judged
from tests.forgery.scene import scene

PER_SCENE = 50


def main(number: int) -> int:
    made: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    beside: Counter[str] = Counter()
    begin = time.monotonic()
    names = sorted(CLASSES)
    for first in range(0, number, PER_SCENE):
        with tempfile.TemporaryDirectory() as scratch:
            honest = scene(Path(scratch) / "honest", seed=first)
            for at in range(first, min(first + PER_SCENE, number)):
                name = names[at % len(names)]
                found = judged(honest, name, Random(at), Path(scratch) / str(at))
                made[name] += 1
                alone[name] += found.alone
                beside[name] += found.with_originals
        print(
            f"{sum(made.values())} of {number}, {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True
        )
    print("| class | forged | found in the bundle alone | found with the originals |")
    print("|---|---|---|---|")
    for name in sorted(CLASSES, key=lambda each: (each in NEEDS_ORIGINALS, each)):
        print(f"| {name} | {made[name]} | {alone[name]} | {beside[name]} |")
    print(f"| all | {sum(made.values())} | {sum(alone.values())} | {sum(beside.values())} |")
    wrong = [
        name
        for name in names
        if beside[name] < made[name] or alone[name] != (0 if name in NEEDS_ORIGINALS else made[name])
    ]
    print(f"not as documented: {', '.join(wrong)}" if wrong else "all as documented")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
