"""Settings of a stage: a frozen dataclass whose fields declare their valid values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import isfinite
from typing import Any, Self

from assay.errors import Fault, InputError, shown


def setting(
    default: Any,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[object] = (),
    optional: bool = False,
    check: Callable[[Any], str | None] | None = None,
) -> Any:
    """Return a field of `Settings` with a default and its valid values.

    Parameters
    ----------
    default
        The default; its type is the type of the setting.
    low, high
        The ends of the valid range, both included.
    choices
        The valid values, if they are not a range.
    optional
        Whether None is valid too.
    check
        For a list: returns what was expected of one that is not valid, and None for a valid one.

    Returns
    -------
    Any
        A dataclass field.

    Examples
    --------
    docs/pipeline.md has a stage with settings.

    """
    takes = {"low": low, "high": high, "choices": tuple(choices), "optional": optional, "check": check}
    return field(default=default, metadata=takes)


@dataclass(frozen=True, slots=True)
class Settings:
    """The base of all settings of stages: a frozen dataclass, checked on creation.

    Raises
    ------
    InputError
        With all faults: unknown names, wrong types, values out of range.

    """

    def __post_init__(self) -> None:
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        faults = faults_of(type(self), values, type(self).__name__)
        if faults:
            raise InputError(faults)

    @classmethod
    def of(cls, values: Mapping[str, Any], source: str) -> Self:
        """Read settings from a table of a TOML file; `source` names it in messages."""
        faults = faults_of(cls, values, source)
        if faults:
            raise InputError(faults)
        return cls(**{key: _plain(value) for key, value in values.items()})

    def to_dict(self) -> dict[str, Any]:
        """Return plain values in the order of the fields, for hashes and records."""
        return {each.name: _listed(getattr(self, each.name)) for each in fields(self)}


def faults_of(cls: type[Settings], values: Mapping[str, Any], source: str) -> list[Fault]:
    """Return unknown names, wrong types and values out of range."""
    known = {each.name: each for each in fields(cls)}
    faults = []
    for name, value in values.items():
        if name not in known:
            expected = f"expected one of {', '.join(known)}" if known else "it has no settings"
            faults.append(Fault(source, "", f"has no setting {shown(name)}", expected))
            continue
        wanted = _wanted(known[name].default, known[name].metadata, value)
        if wanted is not None:
            faults.append(Fault(source, "", f"{name} is {shown(value)}", wanted))
    return faults


def _wanted(default: Any, takes: Mapping[str, Any], value: Any) -> str | None:
    """Return what was expected if the value is not valid; None if it is."""
    if value is None and takes.get("optional"):
        return None
    choices = takes.get("choices") or ()
    if choices:
        named = ", ".join(map(str, choices))
        return None if value in choices else f"expected one of {named}"
    if isinstance(default, bool):
        return None if isinstance(value, bool) else "expected true or false"
    if isinstance(default, str):
        given = isinstance(value, str) and (value or not default)  # "" is valid only as the default
        return None if given else "expected a string"
    if isinstance(default, tuple):
        return _listing(takes.get("check"), value)
    return _range(default, takes, value)


def _listing(check: Callable[[Any], str | None] | None, value: Any) -> str | None:
    if not isinstance(value, list | tuple):
        return "expected a list"
    return None if check is None else check(value)


def _range(default: Any, takes: Mapping[str, Any], value: Any) -> str | None:
    low, high = takes.get("low"), takes.get("high")
    whole = not isinstance(default, float)
    kind = "a whole number" if whole else "a number"
    ends = [f"from {_number(low)}"] if low is not None else []
    ends += [f"to {_number(high)}"] if high is not None else []
    expected = " ".join(["expected", kind, *ends])
    allowed = int if whole else int | float
    if isinstance(value, bool) or not isinstance(value, allowed):
        return expected
    if isinstance(value, float) and not isfinite(value):
        return expected
    inside = (low is None or value >= low) and (high is None or value <= high)
    return None if inside else expected


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def _plain(value: Any) -> Any:
    return tuple(_plain(each) for each in value) if isinstance(value, list) else value


def _listed(value: Any) -> Any:
    return [_listed(each) for each in value] if isinstance(value, tuple) else value
