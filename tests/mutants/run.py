"""Plant one bug at a time in a copy of the package, and run the tests that must notice it.

A mutant that survives, or whose text is not in the source any more, fails the run.
`python -m tests.mutants.run WORD` plants only those whose file or tests have the word.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutants.planted import MUTANTS, Mutant

ROOT = Path(__file__).parents[2]


def survives(mutant: Mutant) -> str | None:
    """None where the mutant was caught; else what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        file = source / "assay" / mutant.file
        text = file.read_text(encoding="utf-8")
        if mutant.old not in text:
            return f"{mutant.file} has no {mutant.old!r} any more"
        file.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "pytest",
            *mutant.tests,
            "-x",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
        ]
        environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode == 1:
        return None
    return "survived" if done.returncode == 0 else f"the tests did not run:\n{done.stdout[-800:]}"


def main() -> int:
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    chosen = [each for each in MUTANTS if word in f"{each.file} {' '.join(each.tests)}"]
    with ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(survives, chosen))
    for mutant, verdict in zip(chosen, verdicts, strict=True):
        mark = "caught" if verdict is None else "MISSED"
        print(f"{mark}  {mutant.file:26} {mutant.new.strip()!r}")
        if verdict:
            print(f"        {verdict}")
    missed = sum(verdict is not None for verdict in verdicts)
    print(f"{len(chosen) - missed} passed, {missed} failed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
