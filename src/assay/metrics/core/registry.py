"""All measures by name, found by importing every file of every group; and reading ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING

from assay import metrics
from assay.data.cases import FACTS, QUERY_ID, Cases
from assay.errors import MeasureError
from assay.metrics.core.entry import INFINITE, Kind, Metric, Population
from assay.metrics.core.family import REGISTERED, Family
from assay.metrics.core.names.parameter import Frozen
from assay.metrics.core.reduce import Columns

if TYPE_CHECKING:
    from assay.metrics.core.names.foreign_names import ForeignNames, Meaning

READING_ORDER = (
    "ranking",
    "graded",
    "retrieved",
    "detection",
    "calibration",
    "abstention",
    "selection",
    "states",
    "posts",
    "evidence_groups",
    "answers",
)
"""Groups in the order of docs and lists; a group that is not here comes last."""


def _found() -> Mapping[str, Family]:
    """Import every file of every group: each registers its measures."""
    groups = {each.name for each in iter_modules(metrics.__path__) if each.ispkg} - {"core"}
    last = len(READING_ORDER)
    place = {group: at for at, group in enumerate(READING_ORDER)}
    modules: list[str] = []
    for group in sorted(groups, key=lambda group: (place.get(group, last), group)):
        package = import_module(f"{metrics.__name__}.{group}")
        files = sorted(each.name for each in iter_modules(package.__path__))
        modules += [import_module(f"{package.__name__}.{file}").__name__ for file in files]
    place = {module: at for at, module in enumerate(modules)}  # a file may import another one
    found = [each for each in REGISTERED.values() if each.build.__module__ in place]
    found.sort(key=lambda family: place[family.build.__module__])
    return MappingProxyType({family.name: family for family in found})


FAMILIES: Mapping[str, Family] = _found()

ALIASES: Mapping[str, str] = MappingProxyType(
    {alias: family.name for family in FAMILIES.values() for alias in family.aliases}
)

DECIDED = ("answered", "n", "gold", "has_evidence", "prob", "selected_k", "state", "tau_neg", "tau_pos")
"""Columns of the table of queries with what was found and decided for each query."""
IDS = ("post_id", "criterion_id", QUERY_ID, "fold")
THRESHOLD = "threshold_"
"""Before the name of a rule: the column with the threshold that it chose."""
USER_DEFINED: dict[str, Family] = {}
"""What `define_measure` defined in this process, by name."""
SECTION = "User-defined"
VERSION = "[A-Za-z0-9.-]{1,40}"
USER = re.compile(rf"([a-z][a-z0-9_]*)(?:@([^:]+))?:user=({VERSION}),on=(\w+)")


@cache
def metric(text: str) -> Metric:
    """Return the definition of a measure.

    Parameters
    ----------
    text
        A definition id, such as `map@10:denominator=R,on=evidence`; parameters that are left out
        take their defaults. Or the name that another tool has for a measure, such as `nDCG@10`,
        which means that tool's definition and population.

    Returns
    -------
    Metric
        Formula, population, range, edge cases and the function that computes it.

    Raises
    ------
    MeasureError
        If there is no such measure, or a parameter is wrong.

    Examples
    --------
    >>> assay.metric("recall@10").id
    'recall@10:gold=all,rel=1,on=evidence'

    """
    head, _, spelled = text.partition(":")
    name, at, cutoff = head.partition("@")
    name = name if name in FAMILIES else ALIASES.get(name.lower(), name)
    if is_user_defined(text) and not is_defined(text):
        return _undefined(text)
    family = FAMILIES.get(name) or USER_DEFINED.get(name)
    if family is None:
        meanings = foreign_meanings(text)
        if meanings:
            return meanings[0].theirs
        other = other_spelling(text)
        if other is not None:
            return metric(other)
        near = _near(text, name)
        hint = f"did you mean {' or '.join(near)}?" if near else "`assay metric list` lists them"
        raise MeasureError(f"no measure is called {name!r}; {hint}")
    given: dict[str, str] = {}
    for part in filter(None, spelled.split(",")):
        parameter, equals, value = part.partition("=")
        if not equals or parameter in given:
            raise MeasureError(f"{text}: {part!r} is not one name=value")
        given[parameter] = value
    return family.bind(cutoff if at else None, given)


def other_spelling(text: str, own: Iterable[str] = ()) -> str | None:
    """Return the name that a text means if only blanks, hyphens, underscores or `_at_` differ; else None.

    `own` are more names, without cut-offs, such as those of a contract.
    """
    from assay.metrics.core.names.respelling import respelled

    return respelled(text, [*own, *FAMILIES, *ALIASES, *USER_DEFINED, *_foreign_names().spelled()])


def _near(text: str, name: str) -> list[str]:
    """Return what an unknown name may have meant, each with its title: it may be another measure."""
    from assay.metrics.core.names.respelling import with_cut

    for guess in with_cut(text):
        try:
            return [guess] if metric(guess) else []
        except MeasureError:
            continue
    plain = re.sub("[ _-]+", " ", name.lower())
    near = [each.name for each in FAMILIES.values() if plain in each.printed_as]
    near = near or get_close_matches(name.lower(), [*FAMILIES, *ALIASES, *USER_DEFINED], n=3)
    return [_with_title(each) for each in near]


def _with_title(name: str) -> str:
    family = FAMILIES.get(ALIASES.get(name, name)) or USER_DEFINED[name]
    cut = {"required": "10", "point": "0.1"}.get(family.cut)
    title = family.bind(cut, {}).title
    return name if title.lower().replace(" ", "_") == name else f"{name} ({title})"


@cache
def _foreign_names() -> ForeignNames:
    from assay.metrics.core.names.foreign_names import ForeignNames

    return ForeignNames(FAMILIES)


def foreign_meanings(text: str) -> list[Meaning]:
    """Return what a name means in other tools; raise where they disagree or assay lacks it."""
    return _foreign_names().read(text)


def section_of(definition: str) -> str:
    """Return the heading under which tables list a measure."""
    family = FAMILIES.get(definition.partition(":")[0].partition("@")[0])
    return SECTION if family is None else family.section


def is_user_defined(definition: str) -> bool:
    """Return whether a definition id is that of a user-defined measure, defined here or not."""
    found = USER.fullmatch(definition)
    return found is not None and found[1] not in FAMILIES and found[1] not in ALIASES


def is_defined(definition: str) -> bool:
    """Return whether this process can compute a user-defined measure in this version."""
    found = USER.fullmatch(definition)
    family = USER_DEFINED.get(found[1]) if found else None
    return family is not None and found is not None and family.parameters[0].default == found[3]


def not_defined(definition: str) -> MeasureError:
    """Return the error of computing a user-defined measure that this process does not have."""
    name, version = definition.partition(":")[0].partition("@")[0], USER.sub(r"\3", definition)
    return MeasureError(
        f"{definition} is a user-defined measure that this process cannot compute; first call "
        f"assay.define_measure({name!r}, …, version={version!r})"
    )


def _undefined(definition: str) -> Metric:
    """Return the entry of a user-defined measure of another process: readable, not computable."""
    found = USER.fullmatch(definition)
    assert found is not None, "the caller has checked it"

    def columns(cases: Cases) -> Columns:
        raise not_defined(definition)

    name, cut, version, population = found.groups()
    return Metric(
        title=name,
        formula="mean of a user-defined function",
        meaning="a user-defined measure",
        columns=columns,
        kind=Kind.USER_DEFINED,
        range=(-INFINITE, INFINITE),
        better="neither",
        name=name if cut is None else f"{name}@{cut}",
        params=Frozen({"user": version, "on": population}),
        population=Population(population),
    )


def is_own_column(name: str) -> bool:
    """Return whether the table of queries needs a name for itself."""
    return name in DECIDED or name in IDS or name in FACTS or name.startswith(THRESHOLD)
