"""One case: a target with mutated files and options, run in a forked child and judged."""

from __future__ import annotations

import gzip
import hashlib
import json
import multiprocessing.util
import os
import re
import resource
import shutil
import signal
import sys
import time
import zlib
from contextlib import suppress
from pathlib import Path
from random import Random

from tests.fuzz.judge import Case, Change, Outcome, judge, snapshot
from tests.fuzz.mutate import kind_of, mutated
from tests.fuzz.targets import Target, more_options

ADDRESSES = 8 << 30
"""Address space of a child: far above what is resident, but an absurd allocation fails."""
WHOLE_FILE = ("remove", "folder", "pipe", "loop", "dangling", "extra")


def draw(target: Target, seeds: Path, seed: str) -> Case:
    """Draw a case of a target."""
    rng = Random(seed)
    files = _files(target, seeds)
    changes: list[Change] = []
    if files and (rng.random() < 0.85 or not target.arguments[1:]):
        for at in range(rng.choice((1, 1, 1, 1, 2))):
            path = rng.choice(files)
            kind = rng.choice(WHOLE_FILE) if rng.random() < 0.05 else "bytes"
            if kind == "pipe" and path in target.arguments:
                kind = "remove"  # who names a pipe wants to wait for its writer
            changes.append(Change(path, kind, f"{seed}/{at}"))
    options = more_options(target, rng) if not changes or rng.random() < 0.15 else ()
    return Case(target, tuple(changes), options, rehash=rng.random() < 0.85)


def _files(target: Target, seeds: Path) -> list[str]:
    found: list[str] = []
    for name in target.reads:
        path = seeds / name
        found += [str(each.relative_to(seeds)) for each in sorted(path.rglob("*")) if each.is_file()]
        found += [name] if path.is_file() else []
    return [name for name in found if not re.search(r"/(tables|figures|schema)/", name)] or found


def prepare(case: Case, seeds: Path, work: Path) -> None:
    """Copy what the target reads and change it."""
    needed = {argument.split("/")[0] for argument in case.target.arguments}
    for name in sorted(needed | {path.split("/")[0] for path in case.target.reads}):
        source = seeds / name
        if source.is_dir():
            shutil.copytree(source, work / name, symlinks=True)
        elif source.is_file():
            shutil.copy(source, work / name)
    if "figures.csv" in needed:
        shutil.copy(seeds / "figures.csv.lint.toml", work)
    for change in case.changes:
        _apply(change, work, seeds)
    if case.rehash:
        for manifest in work.glob("bundles/*/MANIFEST.json"):
            if manifest.is_file():  # not a pipe by now
                _rehash(manifest)


def _apply(change: Change, work: Path, seeds: Path) -> None:
    path, rng = work / change.path, Random(change.seed)
    if not path.is_file() or path.is_symlink():
        return
    if change.kind == "extra":
        path.with_name("more.csv").write_bytes(path.read_bytes()[:100])
        return
    if change.kind != "bytes":
        path.unlink()
        if change.kind == "folder":
            path.mkdir()
        elif change.kind == "pipe":
            os.mkfifo(path)
        elif change.kind in ("loop", "dangling"):
            path.symlink_to(path.name if change.kind == "loop" else "nowhere")
        return
    data = path.read_bytes()
    if path.name == "candidates.parquet" and rng.random() < 0.3:
        odd = sorted((seeds / "odd").glob("*.parquet"))
        data = rng.choice(odd).read_bytes()
    elif path.name.endswith(".csv.gz") and rng.random() < 0.8:
        with suppress(OSError, EOFError, zlib.error):  # an earlier change may have broken it
            data = gzip.decompress(data)
        data = gzip.compress(_some(data, "csv", rng), mtime=0)
    else:
        data = _some(data, kind_of(path.name), rng)
    path.write_bytes(data)


def _some(data: bytes, kind: str, rng: Random) -> bytes:
    for _ in range(rng.choice((1, 1, 1, 1, 1, 3))):
        data = mutated(data, kind, rng)
    return data


def _rehash(manifest: Path) -> None:
    """Let the manifest list what is there, so that more than the hashes is tested."""
    try:
        document = json.loads(manifest.read_bytes())
        for name in document["files"]:
            path = manifest.parent / name
            if path.is_file() and path.resolve().is_relative_to(manifest.parent.resolve()):
                document["files"][name] = hashlib.sha256(path.read_bytes()).hexdigest()
        manifest.write_text(json.dumps(document))
    except (ValueError, TypeError, KeyError, AttributeError, OSError, RecursionError):
        return


def execute(case: Case, seeds: Path, room: Path) -> Outcome:
    """Run a case in a forked child below `room`, which is emptied first, and judge it."""
    shutil.rmtree(room, ignore_errors=True)
    work, scratch = room / "work", room / "tmp"
    work.mkdir(parents=True)
    scratch.mkdir()
    prepare(case, seeds, work)
    before = snapshot(work)
    began = time.monotonic()
    child = os.fork()
    if not child:
        _child(case.arguments, work, scratch, room)
    outcome = _wait(child, began, case.target.seconds, room)
    outcome.faults += judge(case, outcome, before, snapshot(work), scratch)
    return outcome


def _child(arguments: tuple[str, ...], work: Path, scratch: Path, room: Path) -> None:
    """Become the command; never returns."""
    code = 99
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.chdir(work)
        os.environ["TMPDIR"] = str(scratch)
        for name, number in (("stdout", 1), ("stderr", 2)):
            handle = os.open(room / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(handle, number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.argv = ["assay", *arguments]
        from assay.cli import main

        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        sys.stdout.flush()
        sys.stderr.flush()
        # os._exit skips this; without it the resource tracker reports semaphores as leaked.
        multiprocessing.util._exit_function()  # type: ignore[attr-defined]
    except BaseException:  # what main() lets through is a traceback of a user
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
        code = 98
    finally:
        os._exit(code)


def _wait(child: int, began: float, seconds: float, room: Path) -> Outcome:
    timed_out, pause = False, 0.001
    while True:
        done, status, usage = os.wait4(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() - began > seconds * _slowdown():
            timed_out = True
            os.killpg(child, signal.SIGKILL)
            _, status, usage = os.wait4(child, 0)
            break
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)
    took = time.monotonic() - began
    stderr = (room / "stderr").read_text(errors="replace") if (room / "stderr").exists() else ""
    code = os.waitstatus_to_exitcode(status)
    outcome = Outcome(code, took, usage.ru_maxrss * 1024, stderr)
    if timed_out:
        outcome.faults.append(f"hang: {took:.1f} s")
    elif _alive(child):
        outcome.faults.append("left behind: a process")
        os.killpg(child, signal.SIGKILL)
    return outcome


def _slowdown() -> float:
    """Return how much longer a case takes because other processes wait for the same processors."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def _alive(group: int) -> bool:
    """Whether a process of the child's session is there still; one that ends gets a moment."""
    for _ in range(300):  # the tracker of a pool ends a moment after its parent
        try:
            os.killpg(group, 0)
        except (ProcessLookupError, PermissionError):
            return False
        time.sleep(0.01)
    return True
