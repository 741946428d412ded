"""`define_measure`: measures that users define in Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from numbers import Real
from typing import Any, Literal

import numpy as np

from assay.array_types import Floats
from assay.data.cases import Cases
from assay.errors import FunctionRaisedError, MeasureError
from assay.metrics.core.entry import INFINITE, Kind, Metric, Population
from assay.metrics.core.family import Cut, Family
from assay.metrics.core.rankings import ALL
from assay.metrics.core.reduce import Columns
from assay.metrics.core.registry import (
    ALIASES,
    FAMILIES,
    SECTION,
    USER_DEFINED,
    VERSION,
    is_own_column,
    metric,
)

NAME = "[a-z][a-z0-9_]{0,59}"
COLUMNS = ("prob", "selected_k", "state")


def define_measure(
    name: str,
    function: Callable[..., Any],
    *,
    vectorised: bool = False,
    cut: bool = False,
    on: str = "evidence",
    range: tuple[float, float] = (-INFINITE, INFINITE),  # noqa: A002 # the entry's own word
    better: str = "higher",
    title: str = "",
    meaning: str = "a user-defined measure",
    needs: tuple[str, ...] = (),
    version: str = "1",
    replace: bool = False,
) -> None:
    """Define a measure of your own: the mean over queries of what a function returns.

    Afterwards `evaluate(…, measures=[name])` and `compare` accept it under every contract, with
    folds, intervals and breakdowns. Its definition id is `name@k:user=VERSION,on=POPULATION`. A
    bundle keeps its values, but the second implementation cannot recompute them: `assay verify`
    and `assay gate` say so.

    Parameters
    ----------
    name
        Lower-case letters, digits and underscores; not the name of a shipped measure, nor of a column
        of the table of queries, such as prob or fold.
    function
        Without `vectorised`, `function(grades, gold)` of one query: `grades` holds the grade of
        each candidate in rank order (0 if not relevant or not judged), `gold` every positive grade,
        highest first, retrieved or not. It returns a number. With `vectorised`,
        `function(cases)` returns one number per query; the arrays of `cases` are read-only. It must
        return the same for the same input, because `assay.verify` calls it again.
    vectorised
        Whether the function takes all queries at once, as columns.
    cut
        Whether the measure has a cut-off, as in `name@10`. The function then gets `k` as its last
        argument, and `grades` ends at rank k. For `@all`, k is the length of the list; a vectorised
        function gets a number above the length of every list.
    on
        The default population: evidence, no_evidence, all, predicted or returned. The function sees no other
        query; a vectorised one sees all, and its values for the others are ignored.
    range
        Lowest and highest possible value; a value outside is an error.
    better
        higher, lower or neither.
    title, meaning
        Text for tables and reports.
    needs
        Columns that a vectorised function uses: prob, selected_k or state. Where a system has not
        got them, the measure is absent.
    version
        Change it whenever the function changes, so that old values keep their own definition id.
    replace
        Whether to replace a measure of this name that was defined before.

    Returns
    -------
    None
        The measure is known from now on in this process.

    Raises
    ------
    MeasureError
        If the name is taken or an argument is not permitted.

    Examples
    --------
    >>> import assay
    >>> assay.define_measure("top_grade", lambda grades, gold, k: max(grades, default=0), cut=True)
    >>> assay.metric("top_grade@3").id
    'top_grade@3:user=1,on=evidence'

    """
    texts = (("title", title), ("meaning", meaning))
    faults = [
        *_name_faults(name, replace=replace),
        *_faults(on, better, version, needs, range),
        *(f"{what} is {given!r}; expected a text" for what, given in texts if not isinstance(given, str)),
        *([] if callable(function) else ["function is not callable"]),
    ]
    if faults:
        raise MeasureError(f"define_measure: {'; '.join(faults)}")
    entry = Metric(
        title=title or name,
        formula="mean of a user-defined function",
        meaning=meaning,
        columns=_unbound,
        kind=Kind.USER_DEFINED,
        range=(float(range[0]), float(range[1])),
        better=better,
        needs=tuple(needs),
    )
    USER_DEFINED[name] = _UserFamily(
        name, _builder(entry, version, cut=cut), on, section=SECTION, function=function, vectorised=vectorised
    )
    metric.cache_clear()


def _name_faults(name: str, *, replace: bool) -> list[str]:
    if not isinstance(name, str) or re.fullmatch(NAME, name) is None:
        return [f"name is {name!r}; expected lower-case letters, digits and underscores"]
    if name in FAMILIES or name in ALIASES:
        return [f"{name!r} is a shipped measure; choose another name"]
    if is_own_column(name):
        return [f"{name!r} is a column of the table of queries; choose another name"]
    if name in USER_DEFINED and not replace:
        return [f"{name!r} is already defined; pass replace=True to replace it"]
    return []


def _faults(
    on: str, better: str, version: str, needs: tuple[str, ...], bounds: tuple[float, float]
) -> list[str]:
    found = []
    if on not in {str(each) for each in Population}:
        found.append(f"on is {on!r}; expected {', '.join(Population)}")
    if better not in ("higher", "lower", "neither"):
        found.append(f"better is {better!r}; expected higher, lower or neither")
    if not isinstance(version, str) or re.fullmatch(VERSION, version) is None:
        found.append(f"version is {version!r}; expected letters, digits, dots or hyphens")
    if not isinstance(needs, tuple | list) or any(each not in COLUMNS for each in needs):
        found.append(f"needs is {needs!r}; expected a tuple with some of {', '.join(COLUMNS)}")
    if not _is_range(bounds):
        found.append(f"range is {bounds!r}; expected two numbers, the lowest value first")
    return found


def _is_range(bounds: object) -> bool:
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        return False
    return all(isinstance(each, int | float) for each in bounds) and bounds[0] <= bounds[1]


@dataclass(frozen=True)
class _UserFamily(Family):
    """A family whose columns call the user's function on the queries of the population."""

    function: Callable[..., Any] = len
    vectorised: bool = False

    def bind(self, cut: str | None, given: Mapping[str, str]) -> Metric:
        """Return the measure with this cut-off and these parameters."""
        made = super().bind(cut, given)
        k = self._first(cut)
        values = partial(_of_cases if self.vectorised else _of_queries, self.function, k)
        return replace(made, columns=partial(_columns, made, values))


def _builder(entry: Metric, version: str, *, cut: bool) -> Callable[..., Metric]:
    """Return a function with the signature that the family reads: a cut-off, and `user`."""
    if cut:

        def build(k: Any, user: Any = version) -> Metric:
            return entry

        build.__annotations__ = {"k": Cut, "user": Literal[version]}
        return build

    def build_uncut(user: Any = version) -> Metric:
        return entry

    build_uncut.__annotations__ = {"user": Literal[version]}
    return build_uncut


def _unbound(cases: Cases) -> Columns:
    raise MeasureError("the measure has no population yet")


Values = Callable[[Cases, Any], Any]
LARGEST = 1e100
"""What a function may give: sums and squares of such numbers are still numbers."""


def _columns(made: Metric, values: Values, cases: Cases) -> Columns:
    """Return the function's values on the population, checked, and 0 elsewhere."""
    inside = made.population.mask(cases)
    try:
        raw = values(cases, inside)
    except FunctionRaisedError as error:
        cause = error.__cause__
        text = f"{made.name}: the function raised {type(cause).__name__}{error}: {cause}"
        raise MeasureError(text) from cause
    expected = "one number per query"
    where = ""
    odd = [at for at, each in enumerate(raw) if not _is_number(each)] if isinstance(raw, list) else []
    if odd:
        where, raw = f" for {_query(cases, odd[0])}", raw[odd[0]]
    try:
        found: Floats = np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        odd = odd or [0]
    if odd:
        raise MeasureError(f"{made.name}: the function gave {raw!r:.60}{where}; expected {expected}")
    if found.shape != (len(cases),):
        problem = f"the function gave shape {found.shape}; expected {expected}, ({len(cases)},)"
        raise MeasureError(f"{made.name}: {problem}")
    found = np.where(inside, found, 0.0)
    low, high = (max(made.range[0], -LARGEST), min(made.range[1], LARGEST))
    wrong = np.flatnonzero(inside & ~((found >= low) & (found <= high)))
    if len(wrong):
        bounds = f"number within ±{LARGEST:g}" if made.range == (-INFINITE, INFINITE) else ""
        bounds = bounds or f"finite number in [{made.range[0]:g}, {made.range[1]:g}]"
        gave = f"{found[wrong[0]]:g} for {_query(cases, int(wrong[0]))}"
        raise MeasureError(f"{made.name}: the function gave {gave}; expected a {bounds}")
    return Columns({"value": found}, np.zeros(len(cases), dtype=np.uint8))


def _is_number(value: object) -> bool:
    return isinstance(value, Real | np.bool_) and not (isinstance(value, int) and abs(value) > LARGEST)


def _query(cases: Cases, at: int) -> str:
    return f"query {'/'.join(map(str, cases.keys.row(at)))}"


def _of_cases(function: Callable[..., Any], k: tuple[Any, ...], cases: Cases, _: Any) -> Any:
    try:
        return function(_read_only(cases), *k)
    except Exception as error:
        raise FunctionRaisedError from error


def _read_only(cases: Cases) -> Cases:
    """Return cases whose columns a function cannot change: other measures read the same arrays."""
    named = {each.name: getattr(cases, each.name) for each in fields(cases) if each.init}
    seen: dict[str, Any] = {name: _view(each) for name, each in named.items() if isinstance(each, np.ndarray)}
    for name in ("taus", "thresholds", "confidence", "facts"):
        seen[name] = {key: _view(values) for key, values in named[name].items()}
    return replace(cases, **seen)


def _view(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    seen = values.view()
    seen.flags.writeable = False
    return seen


def _of_queries(function: Callable[..., Any], cut: tuple[Any, ...], cases: Cases, inside: Any) -> list[Any]:
    """Call the function for each query of the population."""
    ends = np.arange(len(cases) + 1)
    hits, golds = np.searchsorted(cases.hit_query, ends), np.searchsorted(cases.gold_query, ends)
    values: list[Any] = []
    for at, counts in enumerate(inside):
        if not counts:
            values.append(0.0)
            continue
        listed = int(cases.n[at])
        k = [listed if each == ALL else each for each in cut]
        mine = slice(hits[at], hits[at + 1])
        rank, grade = cases.hit_rank[mine], cases.hit_grade[mine]
        grades = np.zeros(min([listed, *k]))
        top = rank <= len(grades)
        grades[rank[top] - 1] = grade[top]
        gold = cases.gold_grade[golds[at] : golds[at + 1]]
        try:
            values.append(function(grades.tolist(), gold.tolist(), *k))
        except Exception as error:
            raise FunctionRaisedError(f" for {_query(cases, at)}") from error
    return values
