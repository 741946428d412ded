"""Settings given with the values: options, or a sidecar file next to them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from assay.data.readers.json_toml import read_json, read_toml
from assay.errors import Fault, InputError
from assay.verification.lint.printed_values import FoldSizes, Given

KEYS = ("n", "positives", "folds", "mean_gold", "graded", "contract", "ignore")
FOLDS = "expected 5, equal:5, stratified:5, or positives/negatives of each: 26/264,27/263"
MOST_FOLDS = 200
_NUMBER = re.compile(r"^(?:(any|equal|stratified):)?(\d{1,4})(?:x(\d{1,3}))?$")
_PAIR = re.compile(r"^(\d{1,9})/(\d{1,9})$")


def sidecar(path: Path) -> tuple[dict[str, Any], str]:
    """Read VALUES.lint.toml or VALUES.lint.json next to the file, with or without its extension."""
    names = [path.name + ".lint", path.stem + ".lint"]
    for name in dict.fromkeys(names):
        for ending, read in ((".toml", read_toml), (".json", read_json)):
            beside = path.with_name(name + ending)
            if not beside.is_file():
                continue
            found = read(beside)
            if not isinstance(found, dict):
                raise InputError.of(beside.name, "is not a table", f"expected {', '.join(KEYS)}")
            unknown = [key for key in found if key not in KEYS]
            if unknown:
                raise InputError(
                    Fault(beside.name, "", f"unknown key {key!r}", f"expected {', '.join(KEYS)}")
                    for key in unknown
                )
            return found, beside.name
    return {}, ""


def given(found: Mapping[str, Any], source: str) -> Given:
    """Return the settings of a sidecar or of options, checked."""
    faults: list[Fault] = []

    def count(key: str, least: int) -> int | None:
        value = found.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= 10**9:
            faults.append(Fault(source, "", f"{key} is {value!r}", f"expected a whole number from {least}"))
            return None
        return value

    n, positives = count("n", 1), count("positives", 0)
    if n is not None and positives is not None and positives > n:
        faults.append(Fault(source, "", f"positives is {positives}", f"expected at most n = {n}"))
    folds = None
    if found.get("folds") is not None:
        try:
            folds = read_folds(found["folds"])
        except ValueError:
            faults.append(Fault(source, "", f"folds is {str(found['folds'])[:60]!r}", FOLDS))
    gold = found.get("mean_gold")
    try:
        mean_gold = None if gold is None else Fraction(str(gold))
        if mean_gold is not None and mean_gold < 0:
            raise ValueError
    except (ValueError, ZeroDivisionError):
        mean_gold = None
        faults.append(Fault(source, "", f"mean_gold is {gold!r}", "expected a number from 0"))
    if not isinstance(found.get("graded", False), bool):
        faults.append(Fault(source, "", "graded is not a boolean", "expected true or false"))
    if faults:
        raise InputError(faults)
    return Given(n, positives, folds, mean_gold, bool(found.get("graded", False)))


def read_folds(value: Any) -> FoldSizes:
    """Parse a number, `equal:5`, `stratified:5x2`, pairs of counts as text, or a list of them."""
    if isinstance(value, FoldSizes):
        return value
    if isinstance(value, bool | float):
        raise ValueError
    if isinstance(value, list | tuple):
        listed = tuple(_pair(each) for each in value)
        if not 0 < len(listed) <= MOST_FOLDS:
            raise ValueError
        return FoldSizes(len(listed), "listed", listed)
    text = str(value).replace(" ", "")
    if found := _NUMBER.match(text):
        number, repeats = int(found[2]), int(found[3] or 1)
        if number < 1 or repeats < 1 or number * repeats > MOST_FOLDS:
            raise ValueError
        return FoldSizes(number, found[1] or "any", (), repeats)
    return read_folds([tuple(map(int, _paired(part))) for part in text.split(",")])


def _paired(text: str) -> tuple[str, str]:
    found = _PAIR.match(text)
    if found is None:
        raise ValueError
    return found[1], found[2]


def _pair(value: Any) -> tuple[int, int]:
    if isinstance(value, dict):
        positives = value.get("positives")
        negatives = value.get("negatives")
        if negatives is None and isinstance(value.get("n"), int) and isinstance(positives, int):
            negatives = value["n"] - positives
        value = (positives, negatives)
    whole = isinstance(value, list | tuple) and len(value) == 2
    if not whole or not all(isinstance(each, int) and not isinstance(each, bool) for each in value):
        raise ValueError
    p, n = value
    if p < 0 or n < 0 or p + n == 0:
        raise ValueError
    return p, n
