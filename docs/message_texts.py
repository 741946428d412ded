"""Read the texts that a message may have: constants, assignments, and what functions return or yield.

Values of the input are ‹…›.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from assay.version import pip_install

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
VALUE = re.compile("‹[^›]*›")


@dataclass
class Module:
    """One module: its tree, its text constants, and where its imported names come from."""

    tree: ast.Module
    values: dict[str, ast.expr] = field(default_factory=dict)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)


@cache
def module(path: Path) -> Module:
    """Read a module."""
    made = Module(ast.parse(path.read_text(encoding="utf-8")))
    for node in made.tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                made.values[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                made.values[name] = value
            case _:
                pass
    for inner in ast.walk(made.tree):
        if isinstance(inner, ast.FunctionDef):
            made.functions[inner.name] = inner
        if isinstance(inner, ast.ImportFrom) and inner.module:
            made.imported |= {each.asname or each.name: (inner.module, each.name) for each in inner.names}
    return made


class Texts:
    """Turns an expression of a message into the texts that it may have."""

    def __init__(self, path: Path, function: ast.AST | None, call: ast.Call | None = None) -> None:
        self.path, self.function, self.call = path, function, call

    def of(self, node: ast.expr | None, depth: int = 0) -> list[str]:
        """Return the texts; values of the input are ‹…›."""
        if node is None or depth > 6:
            return ["‹…›"]
        match node:
            case ast.Constant(value=str(text)):
                return [text]
            case ast.JoinedStr(values=parts):
                return self._joined(
                    [part.value if isinstance(part, ast.FormattedValue) else part for part in parts], depth
                )
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._joined([left, right], depth)
            case ast.IfExp(body=one, orelse=other):
                return [*self.of(one, depth + 1), *self.of(other, depth + 1)]
            case ast.Name(id=name):
                return self._named(name, depth) or [f"‹{plain(name)}›"]
            case ast.Attribute(attr=name):
                return [f"‹{plain(name)}›"]
            case ast.Call(func=ast.Name(id="shown" | "repr" | "str"), args=[ast.Name(id=name), *_]):
                return [f"‹{plain(name)}›"]
            case ast.Call(func=ast.Name(id="shown" | "repr" | "str"), args=[ast.Attribute(attr=name), *_]):
                return [f"‹{plain(name)}›"]
            case ast.Call(func=ast.Name(id="pip_install"), args=[ast.Constant(value=extra)]):
                return [pip_install(str(extra))]
            case _:
                return ["‹…›"]

    def leads_to(self, node: ast.expr, depth: int = 0) -> Iterator[tuple[str, tuple[str, ...] | None]]:
        """Yield the texts that others give to an expression, with what is expected where it comes along."""
        if depth > 10:
            return
        further: list[ast.expr] = []
        match node:
            case ast.Tuple(elts=[*_, problem, expected]) if not isinstance(expected, ast.Starred):
                for text in self.of(problem):
                    if has_words(text):
                        yield text, tuple(self.of(expected))
                if all(map(has_words, self.of(problem))):
                    return
                further = [problem]
            case ast.Constant() | ast.JoinedStr() | ast.BinOp():
                yield from ((text, None) for text in self.of(node) if has_words(text))
                if not any(map(has_words, self.of(node))):
                    further = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
            case ast.List(elts=further) | ast.Tuple(elts=further) | ast.BoolOp(values=further):
                pass
            case ast.Starred(value=value) | ast.Attribute(value=value) | ast.Subscript(value=value):
                further = [value]
            case ast.IfExp(body=one, orelse=other):
                further = [one, other]
            case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element):
                further = [element]
            case ast.Call(func=ast.Name(id=name), args=args):
                made = self.function_called(name)
                if made is not None:
                    inner, function = made
                    for value in results(function):
                        yield from inner.leads_to(value, depth + 1)
                else:
                    further = args[:1]
            case ast.Call(func=ast.Attribute(attr="join"), args=further):
                pass
            case ast.Call(func=ast.Attribute(value=value, attr="split")):
                further = [value]
            case ast.Call(func=ast.Attribute(attr=name)) if len(methods().get(name, ())) == 1:
                ((place, function),) = methods()[name]
                for value in results(function):
                    yield from Texts(place, function).leads_to(value, depth + 1)
            case ast.Name(id=name) if self.function is not None:
                further = [*assigned(self.function, name), *collected(self.function, name)]
                for inner, value in self._from_callers(name):
                    yield from inner.leads_to(value, depth + 1)
            case _:
                pass
        for each in further:
            yield from self.leads_to(each, depth + 1)

    def function_called(self, name: str) -> tuple[Texts, ast.FunctionDef] | None:
        """Return a function of this module, or one that it imports from assay."""
        here = module(self.path)
        home, original = here.imported.get(name, ("", ""))
        place = SOURCE / (home.replace(".", "/") + ".py")
        if name in here.functions:
            place, original = self.path, name
        if place.is_file() and original in module(place).functions:
            function = module(place).functions[original]
            return Texts(place, function), function
        return None

    def _from_callers(self, name: str) -> Iterator[tuple[Texts, ast.expr]]:
        """Yield what the callers in this module give for a parameter of the function."""
        if not isinstance(self.function, ast.FunctionDef):
            return
        order = [each.arg for each in self.function.args.args]
        for call, caller in calls(module(self.path).tree):
            if isinstance(call.func, ast.Name) and call.func.id == self.function.name and name in order:
                for value in call.args[order.index(name) : order.index(name) + 1]:
                    yield Texts(self.path, caller), value

    def _assigned(self, name: str) -> Iterator[ast.expr]:
        """Yield what the function assigns to a name: before the call, where that is one statement."""
        for statement in before(self.function, self.call):
            found = list(assigned(statement, name))
            yield from found
            if found and isinstance(statement, ast.Assign):
                return

    def _joined(self, parts: list[ast.expr], depth: int) -> list[str]:
        made = [""]
        for part in parts:
            made = [before + text for before in made for text in self.of(part, depth + 1)][:6]
        return made

    def _named(self, name: str, depth: int) -> list[str]:
        inside = [] if self.function is None else list(self._assigned(name))
        if inside:
            return [text for value in inside for text in self.of(value, depth + 1)]
        here = module(self.path)
        if name in here.values:
            return Texts(self.path, None).of(here.values[name], depth + 1)
        if name in here.imported:
            home, original = here.imported[name]
            place = SOURCE / (home.replace(".", "/") + ".py")
            if place.is_file() and original in module(place).values:
                return Texts(place, None).of(module(place).values[original], depth + 1)
        return []


def results(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """Yield what a function returns or yields."""
    for node in ast.walk(function):
        if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) and node.value is not None:
            yield node.value


def plain(name: str) -> str:
    """Return the name of a variable as words."""
    return name.strip("_").replace("_", " ").lower()


def assigned(function: ast.AST, name: str) -> Iterator[ast.expr]:
    """Yield what a function assigns to a name."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id == name:
                    yield node.value
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    for each, value in zip(target.elts, node.value.elts, strict=False):
                        if isinstance(each, ast.Name) and each.id == name:
                            yield value


def before(function: ast.AST | None, call: ast.Call | None) -> Iterator[ast.AST]:
    """Yield the statements that may run before a call, the nearest first; without a call the function."""
    if function is None or call is None:
        yield from () if function is None else (function,)
        return
    blocks = [
        block
        for node in ast.walk(function)
        for block in (getattr(node, name, None) for name in ("body", "orelse", "finalbody", "handlers"))
        if isinstance(block, list)
    ]
    for block in reversed(blocks):  # the innermost comes last
        for at, statement in enumerate(block):
            if any(each is call for each in ast.walk(statement)):
                yield from reversed(block[:at])


def collected(function: ast.AST, name: str) -> Iterator[ast.expr]:
    """Yield whatever else gets into a name: unpacked, looped over, appended or added."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Tuple() as target], value=ast.Call() as value) if name in names(
                target
            ):
                yield value
            case ast.AnnAssign(target=ast.Name(id=each), value=ast.expr() as value) if each == name:
                yield value
            case ast.AugAssign(target=ast.Name(id=each), value=value) if each == name:
                yield value
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                if name in names(target):
                    yield value
            case ast.Call(func=ast.Attribute(value=ast.Name(id=each), attr="append"), args=[value]) if (
                each == name
            ):
                yield value
            case _:
                pass


def names(node: ast.AST) -> set[str]:
    """Return the names in an expression."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def calls(tree: ast.AST, inside: ast.AST | None = None) -> Iterator[tuple[ast.Call, ast.AST | None]]:
    """Yield every call with the function around it."""
    for node in ast.iter_child_nodes(tree):
        home = node if isinstance(node, ast.FunctionDef) else inside
        if isinstance(node, ast.Call):
            yield node, home
        yield from calls(node, home)


@cache
def methods() -> dict[str, list[tuple[Path, ast.FunctionDef]]]:
    """Return every method of assay by its name."""
    found: dict[str, list[tuple[Path, ast.FunctionDef]]] = {}
    for path in sources():
        for home in ast.walk(module(path).tree):
            for node in home.body if isinstance(home, ast.ClassDef) else ():
                if isinstance(node, ast.FunctionDef):
                    found.setdefault(node.name, []).append((path, node))
    return found


def sources() -> list[Path]:
    """Return the modules of assay."""
    return sorted((SOURCE / "assay").rglob("*.py"))


def has_words(text: str) -> bool:
    """Return whether a text is more than values."""
    return bool(VALUE.sub("", text).strip(" :;,.'"))
