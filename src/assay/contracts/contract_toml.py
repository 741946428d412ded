"""Contracts from TOML: the shipped ones by id, a user's by a path that ends in `.toml`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from pkgutil import get_data
from typing import Any

from assay.contracts.contract import NO_DEPTH, TIES, Contract
from assay.contracts.contract_id import DEFAULT, SHIPPED, base_of, id_fault, with_options
from assay.contracts.contract_parts import CORRECTIONS as _CORRECTIONS
from assay.contracts.contract_parts import TARGET, corrections_of, is_corrections, text_hash
from assay.data.readers.json_toml import parse_toml, read_toml_text
from assay.errors import AssayError, ContractError, InputError, shown
from assay.metrics.core.threshold_rules import EXPECTED, SPELLED

__all__ = (
    "DEFAULT",
    "SHIPPED",
    "contract",
    "is_disguised",
    "last_correction",
    "parse",
    "read_text",
    "shipped",
    "shipped_text",
)

_TEXT = "a text"
_CUTS = "a list of whole numbers from 1"
_DEPTH = "a whole number from 1, or 0 for no limit"
_FLAG = "true or false"
_TEXTS = "a list of texts"
_TABLE = "a table of texts"
_COUNTS = "a table of whole numbers: queries, evidence, candidates"
_TARGETS = "a table of texts such as '>= 0.85', '< 0.05' or '<= 5'"
_THRESHOLDS = f"a table with deployment ({EXPECTED}) and confidence (between 0 and 1)"
KEYS: Mapping[str, tuple[str, Any]] = {
    "id": (_TEXT, None),
    "title": (_TEXT, ""),
    "source": (_TEXT, ""),
    "ties": (_TEXT, "stable"),
    "depth": (_DEPTH, 0),
    "unjudged_queries": (_TEXT, "drop"),
    "aggregate": (_TEXT, "fold_mean"),
    "k": (_CUTS, [1, 3, 5, 10, 20]),
    "k_primary": (_CUTS, []),
    "k_optional": (_CUTS, []),
    "k_ceiling": (_FLAG, False),
    "exclude_criteria": (_TEXTS, []),
    "expected": (_COUNTS, {}),
    "thresholds": (_THRESHOLDS, {}),
    "targets": (_TARGETS, {}),
    "measures": (_TABLE, None),
    "absent": (_TABLE, {}),
    "corrections": (_CORRECTIONS, []),
}
CHOICES = {"ties": TIES, "unjudged_queries": ("drop", "zero"), "aggregate": ("fold_mean", "pooled")}


def contract(name: str | Path | Contract) -> Contract:
    """Return a contract by id, or read one from a file.

    Parameters
    ----------
    name
        An id such as `assay/1` (`assay contract list` prints them), a path that ends in `.toml`, or
        a `Contract`, which comes back as it is.

    Returns
    -------
    Contract
        Measure names with their definitions, and the rules around them.

    Raises
    ------
    ContractError
        If there is no such contract, or it has the id of a shipped contract and differs from it.

    Examples
    --------
    >>> assay.contract("trec_eval/10").names["map"]
    'map@all:denominator=R,cut=k,rel=1,on=predicted'

    """
    if isinstance(name, Contract):
        return _not_disguised(name)
    if str(name).endswith(".toml"):
        path = Path(name)
        try:
            text = read_toml_text(path)
        except InputError as error:
            raise ContractError(str(error)) from None
        return parse(text, path.name)
    base = str(name).partition("+")[0]
    if name in SHIPPED:
        return shipped(base)
    made = with_options(shipped(base), str(name)) if base in SHIPPED else None
    if made is None:
        known = ", ".join(SHIPPED)
        raise ContractError(
            f"no contract is called {str(name)!r}; shipped are {known}; a file must end in .toml"
        )
    return made


def _not_disguised(given: Contract) -> Contract:
    if given.taken_names:
        raise ContractError(f"{given.taken_names[0]} is a column of per_query.csv; choose another name")
    if is_disguised(given):
        raise ContractError(
            f"this contract is called {given.id} and differs from the shipped one; give it another id"
        )
    return given


def is_disguised(given: Contract) -> bool:
    """Return whether a contract is called like a shipped one and says something else.

    A text from before a correction is no disguise.
    """
    base = base_of(given.id)
    if base is None or given is shipped(base):
        return False
    if text_hash(given.text) in {each.before for each in shipped(base).corrections}:
        made = with_options(read_text(given.text, given.id), given.id)
    else:
        made = with_options(shipped(base), given.id)
    return made is None or made.content() != given.content()


def shipped(name: str) -> Contract:
    """Return a shipped contract by id; tests, not every run, check that its measures exist."""
    return _parsed(shipped_text(name), name)


def shipped_text(name: str) -> str:
    """Return the TOML of a shipped contract.

    importlib.resources would do the same, and import tempfile and zipfile: 5 ms of CPU of 190.
    """
    data = get_data("assay.contracts", f"shipped/{name.replace('/', '-')}.toml")
    assert data is not None, "the package has a loader"
    return data.decode()


def parse(text: str, source: str) -> Contract:
    """Return a user's contract from its TOML; the ids of shipped contracts are refused."""
    made = read_text(text, source)
    fault = id_fault(made.id)
    if fault is not None:
        raise ContractError(f"{source}: {fault}")
    return made


@lru_cache(maxsize=1)
def last_correction() -> str:
    """Return the date of the latest correction of any shipped contract: what a bundle knew of.

    A user's contract has no entry when a measure that it names is corrected.
    """
    return max(each.date for name in SHIPPED for each in shipped(name).corrections)


@lru_cache
def read_text(text: str, source: str) -> Contract:
    """Return the contract of a TOML text, whatever its id; raise all faults at once."""
    made = _parsed(text, source)
    faults = []
    for name in made.names:
        try:
            made.resolve(name)
        except AssayError as error:
            faults.append(f"{name}: {error}")
    _raise(source, faults)
    return made


def _raise(source: str, faults: list[str]) -> None:
    if faults:
        raise ContractError("\n".join(f"{source}: {fault}" for fault in faults))


@lru_cache
def _parsed(text: str, source: str) -> Contract:
    try:
        table = parse_toml(text, source)
    except InputError as error:
        raise ContractError(str(error)) from None
    faults = [f"unknown key {key!r}" for key in table if key not in KEYS]
    values: dict[str, Any] = {}
    for key, (kind, default) in KEYS.items():
        value = table.get(key, default)
        if value is None:
            faults.append(f"{key} is missing; expected {kind}")
        elif not IS_KIND[kind](value):
            faults.append(f"{key} is {shown(value)}; expected {kind}")
        elif key in CHOICES and value not in CHOICES[key]:
            faults.append(f"{key} is {shown(value)}; expected {' or '.join(CHOICES[key])}")
        values[key] = value
    _raise(source, faults)
    given = values | {
        "depth": values["depth"] or None,
        "deployment": values["thresholds"].get("deployment"),
        "confidence": values["thresholds"].get("confidence", 0.9),
        "corrections": corrections_of(values["corrections"]),
        "text": text,
    }
    made = Contract.of(given)
    _check_names(made, source)
    return made


def _check_names(made: Contract, source: str) -> None:
    faults = []
    for name, definition in made.measures.items():
        if ("{k}" in name) != ("{k}" in definition):
            faults.append(f"{name} and its definition must both have {{k}}, or neither")
    faults += [f"{name} is a column of per_query.csv; choose another name" for name in made.taken_names]
    if made.ranking.ties == "expected" and made.ranking.depth is not None:
        faults.append(NO_DEPTH)
    faults += [
        f"targets: {name} is not among the measures" for name in made.targets if name not in made.names
    ]
    faults += [f"absent: {name} is among the measures" for name in made.absent if name in made.names]
    if not made.names:
        faults.append("it has no measure; expected at least one, and cut-offs for those with {k}")
    _raise(source, faults)


def _thresholds(value: Any) -> bool:
    if not isinstance(value, dict) or not set(value) <= {"deployment", "confidence"}:
        return False
    rule, confidence = value.get("deployment", "f1"), value.get("confidence", 0.9)
    if not isinstance(rule, str) or re.fullmatch(SPELLED, rule) is None:
        return False
    return isinstance(confidence, float) and 0 < confidence < 1


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


IS_KIND: Mapping[str, Callable[[Any], bool]] = {
    _TEXT: lambda value: isinstance(value, str),
    _FLAG: lambda value: isinstance(value, bool),
    _DEPTH: lambda value: _whole(value) and value >= 0,
    _TABLE: lambda value: isinstance(value, dict) and all(isinstance(text, str) for text in value.values()),
    _THRESHOLDS: _thresholds,
    _CORRECTIONS: is_corrections,
    _TARGETS: lambda value: (
        isinstance(value, dict)
        and all(isinstance(each, str) and re.fullmatch(TARGET, each) for each in value.values())
    ),
    _COUNTS: lambda value: (
        isinstance(value, dict)
        and set(value) <= {"queries", "evidence", "candidates"}
        and all(map(_whole, value.values()))
    ),
    _TEXTS: lambda value: isinstance(value, list) and all(isinstance(text, str) for text in value),
    _CUTS: lambda value: isinstance(value, list) and all(_whole(cut) and cut > 0 for cut in value),
}
