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
from queue import SimpleQueue

from tests.mutants.planted import MUTANTS, Mutant

ROOT = Path(__file__).parents[2]


def survives(mutant: Mutant, source: Path) -> str | None:
    """Plant a bug in a copy of the package and take it out again; None if it was caught, else what went wrong."""
    file = source / "assay" / mutant.file
    text = file.read_text(encoding="utf-8")
    if mutant.old not in text:
        return f"{mutant.file} has no {mutant.old!r} any more"
    write_module(file, text.replace(mutant.old, mutant.new))
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
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(source)
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    finally:
        write_module(file, text)
    if done.returncode == 1:
        return None
    return "survived" if done.returncode == 0 else f"the tests did not run:\n{done.stdout[-800:]}"


def write_module(file: Path, text: str) -> None:
    """Write a module, and remove its bytecode, which Python compares with the file's size and second only."""
    file.write_text(text, encoding="utf-8")
    for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
        compiled.unlink()


def judged(mutants: list[Mutant]) -> list[str | None]:
    """Return the verdict of each mutant; two run at a time, each in its own copy of the package."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        copies: SimpleQueue[Path] = SimpleQueue()
        for name in ("first", "second"):
            copies.put(Path(shutil.copytree(ROOT / "src", Path(folder) / name)))

        def judge(mutant: Mutant) -> str | None:
            source = copies.get()
            try:
                return survives(mutant, source)
            finally:
                copies.put(source)

        return list(pool.map(judge, mutants))


def main() -> int:
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    chosen = [each for each in MUTANTS if word in f"{each.file} {' '.join(each.tests)}"]
    verdicts = judged(chosen)
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
