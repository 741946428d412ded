"""Call a stage. What a user's stage raises or returns is checked, and reported with its name."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.array_types import Bools, Ints
from assay.errors import Fault, InputError, MissingExtraError, StageError, Terminated, shown
from assay.pipeline.custom.load_stage import importable, path_of
from assay.pipeline.custom.opened_files import running
from assay.pipeline.custom.stage_sources import is_custom, module_file, source_hash
from assay.pipeline.explanations.explanation import Explanation, explanation_problems
from assay.pipeline.stage import Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled

PER_QUERY = ("prob", "k", "selected_k", "state", "tau_neg", "tau_pos")
"""Columns that become decisions: one value per query."""
LONGEST = 300  # characters of a user's error message
PAIRS = 100_000
"""Pairs that our own stages are applied to at once, to limit their memory."""


def fitted(stage: Stage, view: Labelled | Unlabelled) -> None:
    """Fit a stage on a view with the columns that it declared."""
    given = view.only(stage.needs)
    if not is_custom(type(stage)):
        stage.fit(given)
        return
    with _blamed(stage, "fit"):
        stage.fit(_read_only(given))


def applied(stage: Stage, view: Unlabelled) -> Columns:
    """Return the columns of a stage, applied to the columns that it declared."""
    given = view.only(stage.needs)
    if not is_custom(type(stage)):
        return _joined([stage.apply(part) for part, _ in parts_for(stage, given)])
    with _blamed(stage, "apply"):
        made = stage.apply(_read_only(given))
    problems = list(_wrong(stage, view, made))
    if problems:
        raise StageError("\n".join(f"{_who(stage)}: {each}" for each in problems))
    return {name: np.array(made[name], dtype=np.float64) for name in stage.gives}


def explained(stage: Stage, view: Unlabelled, top: Ints) -> tuple[Explanation, ...]:
    """Return the explanations of a fitted stage."""
    given = view.only(stage.needs)
    if not is_custom(type(stage)):
        return stage.explain(given, top)
    with _blamed(stage, "explain"):
        made = stage.explain(_read_only(given), _frozen(top))
    problems = list(explanation_problems(made, view.queries))
    if problems:
        raise StageError("\n".join(f"{_who(stage)}: explain returned {each}" for each in problems))
    return made


def parts_for(stage: Stage, view: Unlabelled) -> Iterator[tuple[Unlabelled, int]]:
    """Yield posts of a view with the number of their first query: some at a time if that saves memory."""
    sizes = view.layout.post_pairs
    if is_custom(type(stage)) or not stage.by_post or view.pairs <= PAIRS:
        yield view, 0
        return
    block = (np.cumsum(sizes) - sizes) // PAIRS
    for posts in np.split(np.arange(len(sizes)), np.flatnonzero(np.diff(block)) + 1):
        yield view.take(posts), int(np.searchsorted(view.layout.query_post, posts[0]))


def _joined(made: Sequence[Columns]) -> Columns:
    if len(made) == 1:
        return made[0]
    return {name: np.concatenate([each[name] for each in made]) for name in made[0]}


def described(stage: Stage) -> dict[str, Any]:
    """Return what the result of a stage depends on; of a user's stage also its source code."""
    if not is_custom(type(stage)):
        return stage.describe()
    with _blamed(stage, "describe"):
        return {**stage.describe(), "source": source_hash(type(stage))}


def renewed(stage: Stage) -> Stage:
    """Return the same stage, not fitted."""
    if not is_custom(type(stage)):
        return stage.fresh()
    with _blamed(stage, "__init__"):
        return stage.fresh()


def model_of(stage: Stage) -> dict[str, Any] | None:
    """Return what the stage tells about its model; None if it has none."""
    if not is_custom(type(stage)):
        return stage.model()
    with _blamed(stage, "model"):
        return stage.model()


def check_ready(stage: Stage) -> None:
    """Raise if something that the stage needs is missing."""
    if not is_custom(type(stage)):
        stage.ready()
        return
    with _blamed(stage, "ready"):
        stage.ready()


def check_importable(kinds: Iterable[type[Stage]]) -> None:
    """Check that other processes can import these classes, as they must if there is more than one."""
    faults = []
    for kind in kinds:
        typed = kind.__module__ == "__main__" and not hasattr(sys.modules["__main__"], "__file__")
        if typed or "<locals>" in kind.__qualname__:
            where = "at a prompt" if typed else "inside a function"
            problem = f"is defined {where}, where other processes cannot import it"
            expected = "move it to a module, or use `processes=1`"
            faults.append(Fault(f"stage {kind.name!r}", "", problem, expected))
    if faults:
        raise InputError(faults)


def _who(stage: Stage) -> str:
    return f"stage {stage.name!r} ({type(stage).__qualname__})"


@contextmanager
def _blamed(stage: Stage, step: str) -> Iterator[None]:
    """Turn whatever a user's stage raises into one sentence with its name and line."""
    try:
        with importable(path_of(type(stage))), running(stage.name, step):
            yield
    except (MissingExtraError, KeyboardInterrupt, SystemExit, GeneratorExit, Terminated):
        raise
    except BaseException as error:  # a panic of Polars is no Exception
        text = " ".join(str(error).split())
        told = f"{type(error).__name__}: {text[:LONGEST]}".removesuffix(": ")
        raise StageError(f"{_who(stage)}: {step} raised {told}{_line(stage, error)}") from None


def _line(stage: Stage, error: BaseException) -> str:
    """Return the last line of the stage's own file that the error went through."""
    file = module_file(type(stage).__module__)
    lines = [
        each.lineno
        for each in traceback.extract_tb(error.__traceback__)
        if file is not None and each.filename == str(file)
    ]
    return f" ({file.name} line {lines[-1]})" if file is not None and lines else ""


def _read_only(view: Any) -> Any:
    """Return a view whose columns cannot be changed: other stages read the same arrays."""
    if isinstance(view, Labelled):
        gold, known = _frozen(view.gold), _frozen(view.known)
        return replace(view, view=_read_only(view.view), gold=gold, known=known)
    return replace(view, columns={name: _frozen(values) for name, values in view.columns.items()})


def _frozen(values: NDArray[Any]) -> NDArray[Any]:
    out = values.view()
    out.flags.writeable = False
    return out


def _wrong(stage: Stage, view: Unlabelled, made: Any) -> Iterator[str]:
    """Yield how the output of `apply` differs from what the stage declares."""
    if not isinstance(made, dict):
        yield f"apply returned {type(made).__name__}; expected a dict from column names to arrays"
        return
    if set(made) != set(stage.gives):
        has = ", ".join(map(str, made)) or "no column"
        yield f"apply returned {has}; expected {', '.join(stage.gives)}, as in gives"
        return
    for name in stage.gives:
        problem = _wrong_column(stage, view, name, made[name])
        if problem is not None:
            yield f"column {name!r} {problem}"


def _wrong_column(stage: Stage, view: Unlabelled, name: str, values: Any) -> str | None:
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f" or values.ndim != 1:
        is_array = isinstance(values, np.ndarray)
        kind = f"{values.dtype} of shape {values.shape}" if is_array else f"{type(values).__name__}"
        return f"is {kind}; expected a one-dimensional array of floats"
    lengths = {view.pairs: "pairs", view.queries: "queries"}
    if name in PER_QUERY:
        lengths = {view.queries: "queries"}
    elif name in (stage.ranks, "candidate"):
        lengths = {view.pairs: "pairs"}
    if len(values) not in lengths:
        expected = " or ".join(f"{count} (one per {word})" for count, word in _singular(lengths))
        return f"has {len(values)} values; expected {expected}"
    wrong = ~np.isfinite(values)
    if wrong.any():
        return f"has {int(wrong.sum())} values that are not finite, the first at {int(wrong.argmax())}"
    outside = _outside(name, values)
    if outside is not None and outside.any():
        return f"has the value {shown(float(values[outside.argmax()]))}, which a {name} cannot have"
    return None


def _singular(lengths: dict[int, str]) -> list[tuple[int, str]]:
    return [(count, {"pairs": "pair", "queries": "query"}[word]) for count, word in lengths.items()]


def _outside(name: str, values: NDArray[Any]) -> Bools | None:
    """Return the values not allowed in a column that becomes a decision; None for other columns."""
    if name in ("prob", "tau_neg", "tau_pos"):
        return np.asarray((values < 0) | (values > 1))
    if name in ("k", "selected_k"):
        return np.asarray((values < 0) | (values != np.round(values)))
    return np.asarray(~np.isin(values, (-1.0, 0.0, 1.0))) if name == "state" else None
