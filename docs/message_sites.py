"""Find, in the code of assay, every place that makes an error or fault, and the texts that it may have.

A text comes from the call itself, from a constant, from what the function assigned before, or from
a function that returns, yields or collects what is wrong.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from message_texts import SOURCE, Texts, calls, has_words, methods, module, names, sources

FULL = {
    *("AssayError", "ContractError", "MeasureError", "MissingMeasureError", "CompositionError"),
    *("StageError", "MissingExtraError", "InternalError", "UnknownTreesError"),
}
"""Errors of assay whose first argument is the whole message."""
SPOKEN, SPEAKING = ("TypeError", "ValueError", "KeyError"), SOURCE / "assay" / "compat"
"""What replacements of other tools raise, as those tools do."""


def order_of(path: Path, call: ast.Call) -> tuple[str, ...]:
    """Return the parameters of a function or method that is handed a `problem` to make a fault of."""
    match call.func:
        case ast.Name(id=name):
            made = Texts(path, None).function_called(name)
            candidates = [] if made is None else [made[1]]
        case ast.Attribute(attr=name):
            candidates = [function for _, function in methods().get(name, ())]
        case _:
            candidates = []
    for function in candidates:
        order = tuple(each.arg for each in function.args.args if each.arg not in ("self", "cls"))
        if "problem" in order and len(call.args) + len(call.keywords) == len(order):
            return order
    return ()


def parts(path: Path, call: ast.Call) -> tuple[ast.expr, ast.expr | None] | None:
    """Return the problem and the expectation of a call that makes a fault or an error; None for others."""
    given = {each.arg: each.value for each in call.keywords if each.arg}
    order: tuple[str, ...]
    match call.func:
        case ast.Attribute(value=ast.Name(id="InputError" | "FileError"), attr="of"):
            order = ("source", "problem", "expected", "place")
        case ast.Name(id="Fault"):
            order = ("source", "place", "problem", "expected")
        case ast.Name(id=name) if name in FULL or (name in SPOKEN and path.is_relative_to(SPEAKING)):
            order = ("problem",)
        case ast.Name(id="cls") if path.name == "errors.py" and isinstance(call.args[0], ast.JoinedStr):
            order = ("problem",)
        case ast.Attribute(value=ast.Name(id="self") | ast.Call(), attr="error"):
            order = ("problem",)  # of the command's parser
        case ast.Attribute(attr="of" | "add", value=ast.Name(id=name)) if name != "faults":
            return None
        case _:
            order = order_of(path, call)
    for name, value in zip(order, call.args, strict=False):
        if isinstance(value, ast.Starred):  # both come from one function
            return value.value, None
        given[name] = value
    return (given["problem"], given.get("expected")) if "problem" in given else None


@dataclass(frozen=True)
class Site:
    """A place in the code that makes an error or fault: problems, each with what is expected."""

    path: Path
    line: int
    told: tuple[tuple[str, tuple[str, ...] | None], ...]
    passed_on: bool
    """It has no text of its own: it repeats that of another error, or is what others hand a text to."""


@cache
def sites() -> tuple[Site, ...]:
    """Return every place that makes an error or fault."""
    found = []
    for path in sources():
        for call, function in calls(module(path).tree):
            made = parts(path, call)
            if made is None:
                continue
            texts = Texts(path, function, call)
            problem, expected = made
            told = [
                (text, None if expected is None else tuple(texts.of(expected))) for text in texts.of(problem)
            ]
            told = [each for each in told if has_words(each[0])]
            for lists in joined(problem) if told else ():
                told += texts.leads_to(lists)
            if not told:
                told = [
                    (text, also if expected is None or also is not None else tuple(texts.of(expected)))
                    for text, also in texts.leads_to(problem)
                ]
            found.append(Site(path, call.lineno, tuple(dict.fromkeys(told)), passes_on(problem, function)))
    return tuple(found)


def joined(problem: ast.expr) -> list[ast.expr]:
    """Return the lists of texts that are joined within a text."""
    return [
        node.args[0]
        for node in ast.walk(problem)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join"
        if node.args and isinstance(node.args[0], ast.Name)
    ]


def passes_on(problem: ast.expr, function: ast.AST | None) -> bool:
    """Return whether a text is that of a caught error, or a parameter that callers fill."""
    caught = isinstance(problem, ast.Call) and isinstance(problem.func, ast.Name) and problem.func.id == "str"
    faults = isinstance(problem, ast.Attribute) and problem.attr == "problem"
    given = isinstance(function, ast.FunctionDef) and {each.arg for each in function.args.args}
    return caught or faults or bool(given and names(problem) & given & {"problem"})
