"""Which files the code of a user's stage is in, and a hash of them for the cache."""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from uuid import uuid4

INSTALLED = ("site-packages", "dist-packages")
_unreadable: dict[type, str] = {}


def is_custom(kind: type) -> bool:
    """Return whether a class is not assay's own."""
    return kind.__module__.partition(".")[0] != "assay"


def source_hash(kind: type) -> str:
    """Return the SHA-256 of a class's module and of the modules next to it that it imports.

    A class without a file, such as one typed at a prompt, gets a new value in every process, so
    that nothing is reused that other code may have computed.
    """
    file = module_file(kind.__module__)
    if file is not None:
        return hash_of(source_files(kind.__module__, file))
    try:
        return hashlib.sha256(inspect.getsource(kind).encode()).hexdigest()
    except (OSError, TypeError):
        return _unreadable.setdefault(kind, uuid4().hex)


def module_file(module: str) -> Path | None:
    """Return the source file of an imported module; None if it has none."""
    name = getattr(sys.modules.get(module), "__file__", None)
    file = Path(name) if name else None
    return file if file is not None and file.suffix == ".py" and file.is_file() else None


def hash_of(files: Iterable[Path]) -> str:
    """Return one SHA-256 over the names and contents of files."""
    made = hashlib.sha256()
    for file in files:
        data = file.read_bytes()
        made.update(f"{file.name}:{len(data)}:".encode())
        made.update(data)
    return made.hexdigest()


def source_files(module: str, file: Path) -> list[Path]:
    """Return the file of a module and, in the order of their names, the files that it imports.

    Only files in the same folder or package count: libraries are known by their versions.
    """
    package = [] if module in ("__main__", "__mp_main__") else module.split(".")[:-1]
    if file.name == "__init__.py":
        package = module.split(".")
    root = file.parents[len(package)]
    within = (package[0] if package else file.stem,) if root.name in INSTALLED else None
    found, waiting = {file}, [(file, tuple(package))]
    while waiting:
        current, place = waiting.pop()
        for parts in _imports(current, place):
            for path, inside in _files(root, parts, within):
                if path not in found:
                    found.add(path)
                    waiting.append((path, inside))
    return sorted(found)


def _imports(file: Path, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the modules that a file may import, as parts of their names."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (tuple(each.name.split(".")) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = (*above, *(node.module.split(".") if node.module else ()))
            yield base
            yield from ((*base, each.name) for each in node.names)


def _files(
    root: Path, parts: tuple[str, ...], within: tuple[str, ...] | None
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Yield the files of a module and of the packages it is in, each with its package."""
    if not parts or (within is not None and parts[0] not in within):
        return
    for depth in range(1, len(parts) + 1):
        path = root.joinpath(*parts[:depth])
        if path.with_suffix(".py").is_file():
            yield path.with_suffix(".py"), parts[: depth - 1]
        elif (path / "__init__.py").is_file():
            yield path / "__init__.py", parts[:depth]
