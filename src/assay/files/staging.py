"""Outputs that are written beside their places first and then put there together."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType

from assay.errors import InputError
from assay.files.commit_steps import Append, Check, Merge, Step, anything, refuse_other_kinds
from assay.files.locks import locked
from assay.files.os_errors import failed
from assay.files.scratch import contents, scratch_folder, settle, sync_folder, write_new


class Staging:
    """Files and folders on their way to their places.

    Everything that can fail for want of space or permission happens while they are staged.
    `commit` then only renames, under the locks of the folders concerned; if a rename fails, those
    before it are undone. Without a commit, nothing stays: no file, no scratch, no new parent.
    """

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._scratch: dict[Path, Path] = {}
        self._parents: list[Path] = []  # folders that were made for the outputs
        self._steps: list[Step | Append | Merge] = []
        self._locks: set[Path] = set()  # folders to lock, beside those of the targets

    def __enter__(self) -> Staging:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        for parent in reversed(self._parents):
            with suppress(OSError):  # another process put something there
                parent.rmdir()

    def file(
        self, path: str | Path, data: bytes | str, check: Check = anything, *, parents: bool = False
    ) -> None:
        """Stage a file. A link at its place is replaced, and never followed.

        Its folder must exist, unless `parents` are to be made.
        """

        def may(target: Path) -> None:
            refuse_other_kinds(target)
            check(target)

        target = _place(Path(path))
        with _naming(target):
            may(target)
            if parents:
                self._mkdir(target.parent)
            fresh = self._fresh(target)
            write_new(fresh, data, sync=True)
        self._steps.append(Step(fresh, target, may))

    def folder(self, path: str | Path, fill: Callable[[Path], None], check: Check) -> Path:
        """Let `fill` write a folder; return where it is until the commit.

        Where the target is an empty folder, which may be a mount point or somebody's working
        directory, the folder stays and gets the new contents.
        """
        check(Path(path))
        target = Path(os.path.realpath(path))
        if target.is_dir() and not contents(target):
            return self.merge(target, fill, lambda _: check(target))
        with _naming(target):
            self._mkdir(target.parent)
            fresh = self._fresh(target)
            fresh.mkdir()
            fill(fresh)
            settle(fresh)
        self._steps.append(Step(fresh, target, check))
        return fresh

    def merge(self, path: str | Path, fill: Callable[[Path], None], check: Check) -> Path:
        """Stage what `fill` writes to go into a folder that may have other files."""
        target = Path(os.path.realpath(path))
        with _naming(target):
            self._mkdir(target)
            fresh = self._fresh(target / target.name)
            fresh.mkdir()
            fill(fresh)
            settle(fresh)
        self._steps.append(Merge(fresh, target, check))
        return fresh

    def put(self, fresh: Path, target: Path, check: Check = anything) -> None:
        """Stage something that is written already, in scratch space of the same file system."""
        self._steps.append(Step(fresh, target, check))

    def remove(self, target: Path, check: Check = anything) -> None:
        """Stage that a file goes away."""
        with _naming(target):
            self._steps.append(Step(self._fresh(target), target, check, removes=True))

    def append(self, path: str | Path, text: str) -> None:
        """Stage text for the end of a file; a link at its place is followed."""
        target = Path(os.path.realpath(path))
        with _naming(target):
            refuse_other_kinds(target)
        self._steps.append(Append(text.encode(), target))

    def lock(self, folder: Path) -> None:
        """Keep out whoever would replace this folder during the commit."""
        self._locks.add(folder.parent)

    def scratch(self, beside: Path) -> Path:
        """Return a new folder for work on a target, next to it."""
        with _naming(beside):
            fresh = self._fresh(beside)
            fresh.mkdir()
        return fresh

    def commit(self) -> None:
        """Put everything in its place."""
        steps: list[Step | Append] = []
        for each in self._steps:
            with _naming(each.target):
                steps += each.steps() if isinstance(each, Merge) else [each]
        parents = sorted({step.target.parent for step in steps})
        step: Step | Append | None = None
        with ExitStack() as locks:
            for folder in sorted({*parents, *self._locks}):  # in one order: nobody waits for ever
                locks.enter_context(locked(folder))
            try:
                for step in steps:
                    step.do()
            except BaseException as error:
                for done in reversed(steps):
                    done.undo()
                if isinstance(error, OSError) and step is not None:
                    raise failed("written", step.target, error) from None
                raise
        for parent in parents:
            sync_folder(parent)
        self._steps.clear()
        self._parents.clear()

    def _fresh(self, target: Path) -> Path:
        """Return a free path in scratch space, with the name of the target."""
        parent = target.parent
        if parent not in self._scratch:
            self._scratch[parent] = self._stack.enter_context(scratch_folder(parent))
        home = self._scratch[parent]
        place = home / str(sum(1 for _ in home.iterdir()))
        place.mkdir()
        return place / target.name

    def _mkdir(self, folder: Path) -> None:
        missing = []
        while not folder.exists():
            missing.append(folder)
            folder = folder.parent
        for each in reversed(missing):
            with suppress(FileExistsError):
                each.mkdir()
                self._parents.append(each)


@contextmanager
def joining(staging: Staging | None) -> Iterator[Staging]:
    """Add to a staging that the caller commits; without one, commit at the end."""
    if staging is not None:
        yield staging
        return
    with Staging() as own:
        yield own
        own.commit()


def refuse_filled(target: Path) -> None:
    """Raise where there is anything but an empty folder."""
    if os.path.lexists(target) and (not target.is_dir() or contents(target)):
        raise InputError.of(str(target), "exists", "expected a new folder")


def refuse_shared(outputs: dict[str, Path | None]) -> None:
    """Raise where two outputs are the same place, or one lies in the other."""
    places = [
        (name, [folded(part) for part in Path(os.path.realpath(path)).parts])
        for name, path in outputs.items()
        if path
    ]
    for at, (name, parts) in enumerate(places):
        for other, others in places[:at]:
            size = min(len(parts), len(others))
            if parts[:size] == others[:size]:
                problem = f"{other} and {name} are the same place, or one lies in the other"
                raise InputError.of(str(outputs[name]), problem, "expected different places")


def folded(name: str) -> str:
    """Return a name as file systems compare it that ignore case and how accents are composed."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _place(path: Path) -> Path:
    """Return the path with the links of its parents resolved; its own is kept, to be replaced."""
    return Path(os.path.realpath(path.parent)) / path.name


@contextmanager
def _naming(target: Path) -> Iterator[None]:
    """Errors of the system name the target, not scratch space."""
    try:
        yield
    except OSError as error:
        raise failed("written", target, error) from None
