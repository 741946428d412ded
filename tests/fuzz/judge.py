"""A case, what became of it, and whether anything is wrong with that."""

from __future__ import annotations

import hashlib
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.targets import CHECKS, WRITES, Target

MEMORY = 1 << 30


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one file, repeatable by its seed."""

    path: str
    kind: str  # bytes, or one of WHOLE_FILE
    seed: str


@dataclass(frozen=True, slots=True)
class Case:
    """Changes of the inputs of a target, its options, and whether the manifest follows."""

    target: Target
    changes: tuple[Change, ...]
    options: tuple[str, ...] = ()
    rehash: bool = True

    @property
    def arguments(self) -> tuple[str, ...]:
        """The command line."""
        return (*self.target.arguments, *self.options)


@dataclass(slots=True)
class Outcome:
    """What became of a case; `faults` is empty where nothing is wrong."""

    code: int | None
    seconds: float
    memory: int
    stderr: str
    faults: list[str] = field(default_factory=list)


def judge(
    case: Case, outcome: Outcome, before: dict[str, str], after: dict[str, str], scratch: Path
) -> list[str]:
    """Return what a command must not do, and did."""
    if outcome.faults:
        return []
    faults = []
    allowed = {0, 1, 2} if case.target.command in CHECKS else {0, 2}
    if outcome.code not in allowed:
        faults.append(f"exit code {outcome.code}: {_last(outcome.stderr)}")
    elif "Traceback" in outcome.stderr or "panicked at" in outcome.stderr:
        faults.append(f"traceback: {_last(outcome.stderr)}")
    if "Warning:" in outcome.stderr:
        faults.append(f"a warning: {_last(outcome.stderr)}")
    if outcome.code == 2 and not outcome.stderr.strip():
        faults.append("exit code 2 without a message")
    if any(mark in outcome.stderr for mark in "\x1b\x9b\x07"):
        faults.append("an escape was sent to the terminal")
    if outcome.memory > MEMORY:
        faults.append(f"memory: {outcome.memory >> 20} MB")
    if outcome.code != 3 and any(scratch.iterdir()):
        faults.append(f"left behind: {sorted(each.name for each in scratch.iterdir())[0]}")
    written = [name for name, digest in after.items() if before.get(name) != digest]
    gone = sorted(before.keys() - after.keys())
    may_write = [*case.target.writes, *_named_outputs(case.options)]
    fine = outcome.code == 0 or (outcome.code == 1 and case.target.command == "gate")
    for name in [*written, *gone]:
        expected = fine and any(name == each or name.startswith(f"{each}/") for each in may_write)
        if not expected:
            faults.append(f"left behind or changed: {name} (exit code {outcome.code})")
            break
        if ".unfinished" in name:
            faults.append(f"left behind: {name}")
            break
    return faults


def _named_outputs(options: tuple[str, ...]) -> list[str]:
    return [options[at + 1] for at, each in enumerate(options[:-1]) if each in WRITES]


def _last(text: str) -> str:
    """Return what tells one fault from another: the kind of error and its place."""
    places = re.findall(r'File "[^"]*?((?:assay|assay_oracle)/[^"]+)", line (\d+)', text)
    lines = [line for line in text.strip().splitlines() if line.strip()]
    fault = next((line for line in lines if "a fault of assay" in line or "panicked" in line), "")
    where = f" at {places[-1][0]}:{places[-1][1]}" if places else ""
    return (fault or (lines[-1] if lines else "no message"))[:160] + where


def snapshot(folder: Path) -> dict[str, str]:
    """Return every path below a folder with its hash; links and pipes are not opened."""
    found = {}
    for path in folder.rglob("*"):
        mode = path.lstat().st_mode
        name = path.relative_to(folder).as_posix()
        if stat.S_ISREG(mode):
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        elif not stat.S_ISDIR(mode):
            found[name] = "other"
        else:
            found[name] = "folder"
    return found
