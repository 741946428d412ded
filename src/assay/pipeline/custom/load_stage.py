"""Find a stage by `module:Class`: next to the configuration file, or on `sys.path`."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from assay.errors import InputError, shown
from assay.pipeline.custom.opened_files import running
from assay.pipeline.custom.stage_sources import hash_of, module_file, source_files
from assay.pipeline.settings import Settings
from assay.pipeline.stage import Stage
from assay.pipeline.stage_declaration import name_problems

_loaded: dict[str, tuple[Path | None, str]] = {}  # by module: its configuration's folder, its hash
_added: set[str] = set()  # modules imported from the folders of configurations, not by the user


def load_stage(name: str, folder: Path | None, source: str) -> type[Stage]:
    """Return the class that `module:Class` names; `source` is the configuration in messages."""
    module, _, attribute = name.partition(":")
    who = f"stage {shown(name)}"
    if not all(part.isidentifier() for part in (*module.split("."), attribute)):
        raise InputError.of(source, f"{who} is not a name", "expected module:Class")
    found = _module(module, folder, who, source)
    kind = getattr(found, attribute, None)
    if kind is None:
        own = [key for key, value in vars(found).items() if _is_stage(value)]
        expected = f"expected one of {', '.join(own)}" if own else "expected a subclass of assay.Stage"
        raise InputError.of(source, f"{who}: {_shown_file(found)} has no class {attribute}", expected)
    check_class(kind, who, source)
    return kind  # type: ignore[no-any-return]


def check_class(kind: Any, who: str, source: str) -> None:
    """Check what must be right before a stage can be created."""
    if not isinstance(kind, type) or not issubclass(kind, Stage):
        raise InputError.of(source, f"{who} is not a stage", "expected a subclass of assay.Stage")
    problems = [f"{who} {each}" for each in name_problems(kind)]
    if inspect.isabstract(kind):
        problems.append(f"{who} has no apply; define apply(self, view)")
    settings = kind.settings_type
    if not isinstance(settings, type) or not issubclass(settings, Settings) or not is_dataclass(settings):
        problems.append(f"{who}: settings_type is {shown(settings)}; expected a dataclass of assay.Settings")
    if problems:
        faults = [InputError.of(source, *each.split("; ", 1)).faults[0] for each in problems]
        raise InputError(faults)


def path_of(kind: type) -> Path | None:
    """Return the folder that modules of a class may be imported from besides `sys.path`."""
    return _loaded.get(kind.__module__, (None, ""))[0]


@contextmanager
def importable(folder: Path | None) -> Iterator[None]:
    """Let modules of a folder be imported meanwhile, without leaving bytecode in it."""
    if folder is None:
        yield
        return
    entry, wrote, before = str(folder), sys.dont_write_bytecode, set(sys.modules)
    sys.path.insert(0, entry)
    sys.dont_write_bytecode = True  # bytecode of a file edited within a second would be stale
    try:
        yield
    finally:
        sys.dont_write_bytecode = wrote
        if entry in sys.path:
            sys.path.remove(entry)
        for name in set(sys.modules) - before:
            file = module_file(name)
            if file is not None and file.is_relative_to(folder):
                _added.add(name)


def _module(name: str, folder: Path | None, who: str, source: str) -> ModuleType:
    """Return a module; one next to the configuration is imported again after it was edited."""
    place = None if folder is None else folder.resolve()
    file = None if place is None else _file(name, place)
    if file is None:
        place = None
    if place is not None and file is not None:
        mark = hash_of(source_files(name, file))
        others = any(each not in (None, place) for each, _ in _loaded.values())
        if others or _loaded.get(name, (place, mark)) != (place, mark):
            _forget()
        _refuse_other(name, place, who, source)
    made = sys.modules[name] if name in sys.modules else _imported(name, place, who, source)
    file = module_file(name)
    mark = "" if file is None else hash_of(source_files(name, file))
    if _loaded.setdefault(name, (place, mark))[1] != mark:
        problem = f"{who}: {file} was edited after it was imported"
        raise InputError.of(source, problem, "restart Python")
    return made


def _forget() -> None:
    for name in _added:
        sys.modules.pop(name, None)
        _loaded.pop(name, None)
    _added.clear()


def _refuse_other(name: str, folder: Path, who: str, source: str) -> None:
    """Raise if a module of the same name was imported from elsewhere."""
    for top in {name.partition(".")[0], name} & set(sys.modules):
        file = getattr(sys.modules[top], "__file__", None)  # None: a package without __init__.py
        if file is not None and not Path(file).resolve().is_relative_to(folder):
            problem = f"{who}: another module {top} is already imported"
            raise InputError.of(source, problem, "rename the file next to the configuration")


def _file(name: str, folder: Path) -> Path | None:
    path = folder.joinpath(*name.split("."))
    places = (path.with_name(f"{path.name}.py"), path / "__init__.py")
    return next((each for each in places if each.is_file()), None)


def _imported(name: str, folder: Path | None, who: str, source: str) -> ModuleType:
    importlib.invalidate_caches()
    try:
        with importable(folder), running(name, "import"):
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            expected = "put it next to the configuration file, or install it"
            raise InputError.of(source, f"{who}: module {name} not found", expected) from None
        raise _failed(error, name, who, source) from None
    except (Exception, SystemExit) as error:  # whatever a user's module raises
        raise _failed(error, name, who, source) from None


def _failed(error: BaseException, name: str, who: str, source: str) -> InputError:
    told = f"{type(error).__name__}: {error}".removesuffix(": ")
    problem = f"{who}: importing {name} failed with {' '.join(told.split())}"
    return InputError.of(source, problem, f"check it with python -c 'import {name}'")


def _shown_file(module: ModuleType) -> str:
    return Path(module.__file__ or module.__name__).name


def _is_stage(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Stage) and value.__module__.split(".")[0] != "assay"
