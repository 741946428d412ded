"""What a name means under a contract: its own names first, then those of other tools.

The name determines the formula, the contract the queries and the order of ties. See
decisions/0016-names-of-other-tools.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from assay.contracts.contract_parts import PLACE, is_definition
from assay.errors import MeasureError
from assay.metrics.core.entry import Kind, Metric
from assay.metrics.core.registry import USER_DEFINED, foreign_meanings, metric, other_spelling

if TYPE_CHECKING:
    from assay.metrics.core.names.foreign_names import Meaning

RANKED = (Kind.RANKING, Kind.CUT_RANKING)


class NamedMeasures(Protocol):
    """What is needed of a contract."""

    @property
    def id(self) -> str: ...  # noqa: D102 # fields of Contract
    @property
    def measures(self) -> Mapping[str, str]: ...  # noqa: D102
    @property
    def names(self) -> Mapping[str, str]: ...  # noqa: D102
    @property
    def metrics(self) -> Mapping[str, Metric]: ...  # noqa: D102
    @property
    def absent(self) -> Mapping[str, str]: ...  # noqa: D102
    def own(self, name: str, *, any_case: bool = False) -> tuple[str, str] | None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Reading:
    """What a name means under a contract."""

    metric: Metric
    own: str | None = None  # the contract's own name for this definition
    note: str = ""  # which definition was taken, where the name is not the contract's own


def read_name(contract: NamedMeasures, name: str) -> Reading:
    """Return the measure that a name means.

    In this order: a user-defined measure, the contract's own name, a definition id, a name exactly
    as another tool spells it, the contract's own name in another case, another tool's likewise, and
    any of them with other blanks, hyphens, underscores or `_at_`.
    """
    if name.partition(":")[0].partition("@")[0] in USER_DEFINED:
        if name in contract.names:
            raise MeasureError(
                f"{name} is a name of {contract.id} and of a measure that you defined; "
                "give yours another name"
            )
        return Reading(metric(name))
    own = contract.own(name)
    if own is not None:
        return Reading(metric(own[1]), own[0])
    if is_definition(name):
        return Reading(metric(name))
    own = contract.own(name, any_case=True)
    meanings = _meanings(contract, name, own is not None)
    if own is not None and not any(each.is_spelled(name) for each in meanings):
        found = metric(own[1])
        note = f"{name} is {own[0]} of {contract.id}: {found.id}{_differs(found, meanings)}."
        return Reading(found, own[0], note)
    return _foreign(contract, name, meanings) if meanings else _respelled(contract, name)


def _respelled(contract: NamedMeasures, name: str) -> Reading:
    """Return what a name means in its usual spelling; one that is spelled as usual is assay's."""
    other = other_spelling(name, (pattern.partition("@")[0] for pattern in contract.measures))
    if other is None:
        return _assay(contract, name)
    found = read_name(contract, other)
    note = found.note.replace(other, name, 1) if found.note else f"{name} is {other}: {found.metric.id}."
    return Reading(found.metric, found.own, note)


def _meanings(contract: NamedMeasures, name: str, is_own: bool) -> list[Meaning]:
    """Return what other tools mean by a name; one that no tool has is no error if it is the contract's."""
    try:
        _refuse_absent(contract, name)
        return foreign_meanings(name)
    except MeasureError:
        if is_own:
            return []
        raise


def _foreign(contract: NamedMeasures, name: str, meanings: list[Meaning]) -> Reading:
    """Return the contract's own measure with this formula, or the formula on its population."""
    matches = [
        (own, each)
        for own, each in _same_family(contract, meanings[0])
        if any(_same_formula(meaning, each) for meaning in meanings)
    ]
    if matches:
        own, found = max(matches, key=lambda match: _agreement(match[1], meanings))
        said = f"{name} is {own} of {contract.id}: {found.id}"
        return Reading(found, own, said + _differs(found, meanings) + ".")
    settings = _settings(contract, meanings[0])
    found = meanings[0].metric(settings.pop("on"), settings)
    note = f"{name} is {found.id}{_differs(found, meanings)}"
    other = next(iter(_same_family(contract, meanings[0])), None)
    if other is not None:
        note += f"; {other[0]} of {contract.id} has {_changes(found, other[1])}"
    return Reading(found, None, note + ".")


def _assay(contract: NamedMeasures, name: str) -> Reading:
    """Return the contract's measure with the definition of one of assay's names, or refuse."""
    meant = metric(name)  # an unknown measure is said first
    for own, each in _names(contract, meant.name.partition("@")[0], meant.name.partition("@")[2]):
        if _without_population(each) == _without_population(meant):
            return Reading(each, own, f"{name} is {own} of {contract.id}: {each.id}.")
    raise MeasureError(
        f"{contract.id} has no {name}; to take a definition from outside the contract, spell it: {meant.id}"
    )


def _refuse_absent(contract: NamedMeasures, name: str) -> None:
    """Raise where the contract leaves the name out on purpose."""
    left_out = {each.lower(): each for each in contract.absent}.get(name.lower())
    if left_out is None:
        return
    try:
        instead = f"; assay's own definition is {metric(name).id}"
    except MeasureError:
        instead = ""
    raise MeasureError(f"{contract.id} has no {name}: {contract.absent[left_out]}{instead}")


def _same_family(contract: NamedMeasures, meaning: Meaning) -> Iterator[tuple[str, Metric]]:
    """Yield the contract's names of the same measure at the same cut-off, whatever the definition."""
    return _names(contract, meaning.family.name, meaning.cut or "")


def _names(contract: NamedMeasures, family: str, cut: str) -> Iterator[tuple[str, Metric]]:
    for pattern, definition in contract.measures.items():
        head = definition.replace(PLACE, cut).partition(":")[0]
        if head == (f"{family}@{cut}" if cut else family):
            yield pattern.replace(PLACE, cut), metric(definition.replace(PLACE, cut))


def _same_formula(meaning: Meaning, each: Metric) -> bool:
    fixed = {name: text for name, text in meaning.params.items() if name not in meaning.open}
    return each.id == meaning.family.bind(meaning.cut, {**each.params, **fixed}).id


def _agreement(each: Metric, meanings: list[Meaning]) -> int:
    """Return how many parameters are those of a tool: the contract may have several populations."""
    return max(
        sum(each.params.get(name) == text for name, text in meaning.theirs.params.items())
        for meaning in meanings
    )


def _settings(contract: NamedMeasures, meaning: Meaning) -> dict[str, str]:
    """Return the population and relevance level that the contract has for measures of this kind."""
    kind = meaning.theirs.kind
    alike = [
        each.params
        for name, each in contract.metrics.items()
        if "/" not in name and (each.kind is kind or (kind in RANKED and each.kind in RANKED))
    ]
    found = {"on": meaning.theirs.params["on"]}
    for name in ("on", "rel"):
        texts = Counter(params[name] for params in alike if name in params)
        if texts:
            found[name] = texts.most_common(1)[0][0]
    return found


def _differs(found: Metric, meanings: list[Meaning]) -> str:
    """Return how the tools' definition differs, as the end of a sentence; nothing where it does not."""
    theirs: dict[str, list[str]] = {}
    for each in meanings:
        changes = _changes(found, each.theirs)
        if not changes:
            return ""
        theirs.setdefault(changes, []).append(each.tool)
    said = [f"in {' and '.join(dict.fromkeys(tools))} {changes}" for changes, tools in theirs.items()]
    return f"; {', '.join(said)}" if said else ""


def _changes(found: Metric, other: Metric) -> str:
    """Return the parameters in which another definition differs, as it spells them."""
    if other.name != found.name:
        return other.id
    changed = [f"{name}={text}" for name, text in other.params.items() if found.params.get(name) != text]
    return ",".join(changed + [f"no {name}" for name in found.params if name not in other.params])


def _without_population(each: Metric) -> tuple[str, ...]:
    return tuple(text for name, text in each.params.items() if name != "on")
