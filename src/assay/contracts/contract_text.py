"""A contract as TOML: the text it was read from, or one that says the same."""

from __future__ import annotations

import json
from collections.abc import Mapping

from assay.contracts.contract import Contract
from assay.contracts.contract_id import with_options
from assay.contracts.contract_toml import read_text
from assay.errors import AssayError, ContractError


def faithful_text(contract: Contract) -> str:
    """Return TOML with the content of the contract.

    That is its own text, unless the object was changed after it was read.
    """
    if contract_of_text(contract.text, contract.id) == contract.content():
        return contract.text
    text = _rendered(contract)
    if contract_of_text(text, contract.id) != contract.content():
        raise ContractError(f"{contract.id} cannot be written as a contract file")
    return text


def contract_of_text(text: str, name: str) -> dict[str, object] | None:
    """Return the content of a text under the options of an id; None where it is of another id."""
    try:
        made = with_options(read_text(text, name), name)
    except AssayError:
        return None
    return None if made is None else made.content()


def _rendered(contract: Contract) -> str:
    rules = contract.ranking
    values: dict[str, object] = {
        "id": contract.id,
        "title": contract.title,
        "source": contract.source,
        "ties": rules.ties,
        "depth": rules.depth or 0,
        "unjudged_queries": rules.unjudged_queries,
        "aggregate": contract.aggregate,
        "k": list(contract.k),
        "k_primary": list(contract.k_primary),
        "k_optional": list(contract.k_optional),
        "k_ceiling": contract.k_ceiling,
        "exclude_criteria": list(rules.exclude_criteria),
    }
    thresholds: dict[str, object] = {"confidence": contract.confidence}
    if contract.deployment is not None:
        thresholds["deployment"] = contract.deployment
    tables: dict[str, Mapping[str, object]] = {
        "thresholds": thresholds,
        "measures": contract.measures,
        "expected": contract.expected,
        "targets": contract.targets,
        "absent": contract.absent,
    }
    lines = [f"{key} = {_value(value)}" for key, value in values.items()]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(f"{_value(key)} = {_value(table[key])}" for key in table)]
    for each in contract.corrections:
        lines += [
            "",
            "[[corrections]]",
            f"date = {each.date}",
            *(f"{key} = {_value(getattr(each, key))}" for key in ("title", "what", "why")),
            f"measures = {_value(list(each.measures))}",
            f"before = {_value(each.before)}",
        ]
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    """Return a text, number, truth value or list as TOML, which writes them as JSON does."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
