"""`make fuzz`: run mutated inputs through every command for a while, and show what broke.

python -m tests.fuzz.run --seconds 600 --seed 7
python -m tests.fuzz.run --seed 7 --only 'verify/31'     # one case again
"""

from __future__ import annotations

import argparse
import os
import pkgutil
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from random import Random

from tests.fuzz.case import draw, execute
from tests.fuzz.judge import Case, Outcome
from tests.fuzz.targets import TARGETS, Target

ROOT = Path(__file__).parents[2]
HEAVY = ("assay.pipeline.networks.network_modules", "assay.pipeline.networks.network_stage")


@dataclass(slots=True)
class Tally:
    """Cases, exit codes and faults so far."""

    cases: Counter[str] = field(default_factory=Counter)
    codes: Counter[int | None] = field(default_factory=Counter)
    found: dict[str, str] = field(default_factory=dict)  # fault to reproduction
    times: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, str] = (0.0, "")
    largest: tuple[int, str] = (0, "")

    def add(self, name: str, target: Target, outcome: Outcome) -> None:
        """Count one case."""
        self.cases[target.name] += 1
        self.codes[outcome.code] += 1
        self.slowest = max(self.slowest, (outcome.seconds, name))
        self.largest = max(self.largest, (outcome.memory, name))

    def report(self, seed: int, seconds: float) -> str:
        """Return all of it as text."""
        lines = [f"{name:20} {count:6}" for name, count in sorted(self.cases.items())]
        codes = ", ".join(f"{code}: {count}" for code, count in sorted(self.codes.items(), key=str))
        lines += [
            "",
            f"{sum(self.cases.values())} cases in {seconds:.0f} s, seed {seed}; exit codes {codes}",
            f"slowest {self.slowest[0]:.1f} s ({self.slowest[1]}), "
            f"most memory {self.largest[0] >> 20} MB ({self.largest[1]})",
            f"{sum(self.times.values())} faults of {len(self.found)} kinds",
        ]
        for fault, how in self.found.items():
            lines += ["", f"{self.times[fault]} × {fault}", how]
        return "\n".join(lines)


def fuzz(
    seed: int,
    seconds: float = 0.0,
    cases: int = 0,
    only: str = "",
    keep: Path | None = None,
    *,
    quick: bool = False,
) -> Tally:
    """Run cases until the time or their number is over."""
    load_modules()
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="assay-fuzz-") as folder:
        seeds, room = Path(folder) / "seeds", Path(folder) / "room"
        make_seeds(seeds, quick=quick)
        began = time.monotonic()
        order = Random(seed)
        number = 0
        while True:
            target = order.choices(TARGETS, [each.weight for each in TARGETS])[0]
            name = f"{target.name}/{number}"
            number += 1
            over = (cases and number > cases) or (seconds and time.monotonic() - began > seconds)
            if over and not only:
                break
            if only and name != only:
                if number > int(only.rpartition("/")[2]):
                    raise SystemExit(f"seed {seed} has no case {only!r}")
                continue
            if not tally.cases[target.name] and not only:
                refused = _refused(target, seeds, room)
                if refused:  # every case of it would be refused for the same reason
                    tally.times[refused] = 1
                    tally.found[refused] = f"  assay {' '.join(map(repr, target.arguments))}"
            case = draw(target, seeds, f"{seed}/{name}")
            outcome = execute(case, seeds, room)
            tally.add(name, target, outcome)
            for fault in outcome.faults:
                kind = f"{target.command}: {fault}"
                tally.times[kind] += 1
                if kind not in tally.found:
                    tally.found[kind] = _reproduction(case, fault, name, seed, seeds, room, keep)
            if only:
                print(outcome.stderr)
                if keep:
                    shutil.copytree(room, keep / "only", symlinks=True, dirs_exist_ok=True)
                break
    return tally


def _refused(target: Target, seeds: Path, room: Path) -> str:
    """Return what a target says of inputs that nobody changed; empty where it takes them."""
    outcome = execute(Case(target, ()), seeds, room)
    last = outcome.stderr.strip().rpartition("\n")[2]
    return f"{target.name}: refused without a change: {last}" if outcome.code not in (0, 1) else ""


def load_modules() -> None:
    """Import every module once, so that a forked child starts at once; nothing is computed."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("POLARS_MAX_THREADS", "2")
    os.environ.setdefault("PYTHONPATH", str(ROOT / "src"))
    for package in ("assay", "assay_oracle"):
        found = pkgutil.walk_packages(import_module(package).__path__, f"{package}.")
        for each in found:
            if not each.name.endswith("__main__") and each.name not in HEAVY:
                import_module(each.name)
    for name in ("sentencex", "sklearn.linear_model", "datasketch", "matplotlib.pyplot"):
        import_module(name)


def make_seeds(folder: Path, *, quick: bool = False) -> None:
    """Make the seeds in a process of their own: this one must not start Polars' threads."""
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "tests.fuzz.seeds", str(folder), *(["quick"] if quick else [])]
    subprocess.run(command, cwd=ROOT, check=True)


def _reproduction(
    case: Case, fault: str, name: str, seed: int, seeds: Path, room: Path, keep: Path | None
) -> str:
    """Return how to see a fault again, with as few changes as still show it."""

    def shows(smaller: Case) -> bool:
        return any(_same(fault, each) for each in execute(smaller, seeds, room).faults)

    for change in case.changes:
        fewer = tuple(each for each in case.changes if each != change)
        if shows(replace(case, changes=fewer)):
            case = replace(case, changes=fewer)
    if case.options and shows(replace(case, options=())):
        case = replace(case, options=())
    execute(case, seeds, room)
    lines = [f"  assay {' '.join(map(repr, case.arguments))}"]
    lines += [f"  changed: {each.path} ({each.kind})" for each in case.changes]
    lines.append(f"  again: python -m tests.fuzz.run --seed {seed} --only {name!r}")
    if keep is not None:
        place = keep / f"{len(list(keep.iterdir())) if keep.exists() else 0:03d}"
        shutil.copytree(room, place, symlinks=True, ignore=_pipes)
        (place / "case.txt").write_text(f"{fault}\n" + "\n".join(lines) + "\n", errors="replace")
        lines.append(f"  kept: {place}")
    return "\n".join(lines)


def _pipes(folder: str, names: list[str]) -> list[str]:
    """Leave out what cannot be copied."""
    paths = (Path(folder) / name for name in names)
    return [path.name for path in paths if not (path.is_file() or path.is_dir() or path.is_symlink())]


def _same(fault: str, other: str) -> bool:
    return fault.partition(":")[0] == other.partition(":")[0]


def main() -> int:
    """Exit with 1 where something broke."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--seconds", type=float, default=600.0)
    asked.add_argument("--cases", type=int, default=0, help="stop after so many, whatever the time")
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--only", default="", help="one case, such as verify/31")
    asked.add_argument("--keep", type=Path, help="folder for the inputs of each fault")
    asked.add_argument("--quick", action="store_true", help="seeds without a report")
    given = asked.parse_args()
    began = time.monotonic()
    tally = fuzz(given.seed, given.seconds, given.cases, given.only, given.keep, quick=given.quick)
    print(tally.report(given.seed, time.monotonic() - began))
    return 1 if tally.found else 0


if __name__ == "__main__":
    sys.exit(main())
