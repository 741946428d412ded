"""Classify a bundle's contract: shipped, user-defined, outdated, or falsely labelled."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from assay.contracts.contract import Contract
from assay.contracts.contract_diff import NameDifference, measures_differ, rules_differ, targets_differ
from assay.contracts.contract_id import DEFAULT, SHIPPED, base_of, with_options
from assay.contracts.contract_parts import Correction, text_hash
from assay.contracts.contract_text import contract_of_text
from assay.contracts.contract_toml import is_disguised, shipped
from assay.evaluation.result import Result

SHIPPED_ONE, USER, OUTDATED, FALSE = "shipped", "user", "outdated", "false"
SHOWN = 3


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a bundle's contract comes from, with a sentence for the verdict."""

    kind: str  # shipped, user, outdated (a shipped one before a correction) or false
    sentence: str
    affected: tuple[str, ...] = ()  # measures of the bundle that later corrections changed


def standing(document: dict[str, Any], result: Result) -> Standing:
    """Judge the contract of a bundle by its text, its content and the shipped contracts."""
    contract = result.contract
    fault = _contradiction(document["contract"], contract) or _disguise(contract)
    if fault:
        return Standing(FALSE, fault)
    base = base_of(contract.id)
    missed = _missed(document["contract"], contract, result)
    affected = _affected(missed, contract, result)
    if missed and (affected or base is not None):
        return Standing(OUTDATED, _before(contract.id, missed, affected), affected)
    if base is None:
        return Standing(USER, f"{contract.id}, a user-defined contract; {_compared(contract)}")
    return Standing(SHIPPED_ONE, f"{contract.id} as shipped")


def _disguise(contract: Contract) -> str:
    """Return how a contract differs from the shipped one with its id; empty if it does not."""
    base = base_of(contract.id)
    if base is None or not is_disguised(contract):
        return ""
    genuine = with_options(shipped(base), contract.id)
    if genuine is None:
        return f"{contract.id} is not an id that assay assigns; {base} is reserved"
    return f"labelled {contract.id} but is not that contract: {_unlike(contract, genuine)}"


def _contradiction(given: dict[str, Any], contract: Contract) -> str:
    """Return where the contract's text, content and hash disagree; empty if they agree."""
    said = contract_of_text(contract.text, contract.id)
    if said is None:
        return f"the text of {contract.id} is not the text of a contract with this id"
    now = contract.content()
    differing = sorted(key for key in now if now[key] != said.get(key))
    if differing:
        listed = ", ".join(differing)
        return f"the text of {contract.id} and the bundle disagree about {listed}"
    # Until 2026-11-18 the text was hashed, not the content.
    before = hashlib.sha256(contract.text.encode("utf-8", "surrogatepass")).hexdigest()
    if given["hash"] not in (contract.hash, before):
        return f"the hash of {contract.id} does not match its content"
    return ""


def _missed(given: dict[str, Any], contract: Contract, result: Result) -> list[tuple[str, Correction]]:
    """Return the corrections, each with its contract, that are newer than a bundle.

    These are the corrections of the bundle's own contract, and those of other contracts that
    change one of its measures.
    """
    base = base_of(contract.id)
    known = str(given.get("corrected", ""))
    later = [(name, each) for name in SHIPPED for each in shipped(name).corrections if each.date > known]
    if base is not None:
        own = shipped(base).corrections
        hashes, earlier = [each.before for each in own], text_hash(contract.text)
        since = own[hashes.index(earlier) :] if earlier in hashes else ()
        later += [(base, each) for each in since if (base, each) not in later]
    return [
        (name, each)
        for name, each in later
        if name == base or any(_touches(name, each, value.definition) for value in result.measures)
    ]


def _affected(
    missed: Iterable[tuple[str, Correction]], contract: Contract, result: Result
) -> tuple[str, ...]:
    """Return the measures of the bundle that the corrections change or remove."""
    base = base_of(contract.id)
    found = [
        value.name
        for value in result.measures
        for name, each in missed
        if _touches(name, each, value.definition) or (name == base and value.name in each.measures)
    ]
    return tuple(dict.fromkeys(found))


def _touches(name: str, correction: Correction, definition: str) -> bool:
    """Return whether a correction of a contract changes the values of a definition, by its family."""
    made = shipped(name)
    families = {made.metrics[each].name for each in correction.measures if each in made.names}
    return definition.partition(":")[0] in families


def _before(name: str, missed: Sequence[tuple[str, Correction]], affected: Sequence[str]) -> str:
    dates: dict[str, list[str]] = {}
    for _, each in missed:
        titles = dates.setdefault(each.date, [])
        titles += [] if each.title in titles else [each.title]
    many = "correction" if sum(map(len, dates.values())) == 1 else "corrections"
    listed = " and ".join(f"of {day} ({', '.join(titles)})" for day, titles in dates.items())
    text = f"written under {name} before the {many} {listed}"
    if not affected:
        return f"{text}; none of its measures is affected"
    return f"{text}; {', '.join(affected)} may have old values: re-evaluate"


def _compared(contract: Contract) -> str:
    """Return how a user-defined contract differs from the default one on the names they share."""
    other = shipped(DEFAULT)
    shared = [name for name in contract.names if name in other.names]
    if not shared:
        return f"it has no name in common with {DEFAULT}"
    different = _differences(contract, other)
    return different or f"the names it shares with {DEFAULT} mean the same"


def _differences(contract: Contract, other: Contract) -> str:
    """Return the differences from another contract that change what a value means or passes."""
    parts = []
    targets = [each for each in targets_differ(contract, other) if each.name in contract.names]
    if targets:
        listed = [f"{each.name} {_target(each, other.id)}" for each in targets]
        parts.append(f"targets differ from {other.id}: {_few(listed)}")
    shared = [each.name for each in measures_differ(contract, other) if each.first and each.second]
    if shared:
        parts.append(f"definitions differ from {other.id}: {_few(shared)}")
    rules = [f"{each.name} {each.first}, not {each.second}" for each in rules_differ(contract, other)]
    if rules:
        parts.append(f"rules differ from {other.id}: {_few(rules)}")
    return "; ".join(parts)


def _unlike(contract: Contract, genuine: Contract) -> str:
    said, meant = contract.content(), genuine.content()
    keys = sorted(key for key in meant if said[key] != meant[key])
    details = _differences(contract, genuine)
    return f"it differs in {', '.join(keys)}" + (f"; {details}" if details else "")


def _target(each: NameDifference, other: str) -> str:
    return f"{each.first or 'no target'} ({other}: {each.second or 'none'})"


def _few(names: Sequence[str]) -> str:
    rest = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {rest} more" if rest > 0 else "")
