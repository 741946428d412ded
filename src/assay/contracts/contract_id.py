"""Which contract an id names: shipped ids are reserved, options follow after `+`."""

from __future__ import annotations

import unicodedata
from functools import reduce

from assay.contracts.contract import Contract
from assay.errors import AssayError, ContractError, shown

DEFAULT = "assay/1"
TASKS = ("squad2/1", "fever/1", "scifact/1", "nomiracl/1", "erisk/1")
"""Contracts of shared tasks, each with its own reader."""
SHIPPED = (DEFAULT, "evidence/1.0.0", "paper/1.0", "e2e/1.0", "bundle/3.0", "ir/1", "trec_eval/10", *TASKS)


def base_of(name: str) -> str | None:
    """Return the shipped id that an id is or begins with, as `assay/1` of `assay/1+k=3`.

    Letter case, spaces, invisible characters and compatibility forms make no difference: an id
    that reads like a shipped one is that one.
    """
    read = "".join(
        mark
        for mark in unicodedata.normalize("NFKC", name).casefold()
        if unicodedata.category(mark)[0] not in "CZ"
    )
    return next((each for each in SHIPPED if read == each or read.startswith(f"{each}+")), None)


def id_fault(name: str) -> str | None:
    """Return why a user's contract cannot have this id, or None where it can."""
    if not name.strip() or not name.isprintable() or name != name.strip():
        return f"id is {shown(name)}; expected a name without spaces around it or control marks"
    if not name.isascii():  # letters of other scripts can look like those of a shipped id
        return f"id is {shown(ascii(name)[1:-1])}; expected ASCII characters (a title may have any)"
    base = base_of(name)
    if base is None:
        return None
    return (
        f"id is {shown(name)}, and {base} is a contract of assay; "
        f"choose another id, such as mine/{base.replace('/', '-')}"
    )


def with_options(base: Contract, name: str) -> Contract | None:
    """Return a contract under the options that an id spells after it; None where it spells none.

    `assay/1+level=2+k=3/5` is `assay/1` changed by `level=2` and `k=(3, 5)`.
    """
    if name == base.id:
        return base
    if not name.startswith(f"{base.id}+"):
        return None
    try:
        made = reduce(_changed, name.removeprefix(f"{base.id}+").split("+"), base)
    except (ValueError, AssayError):
        return None
    return made if made.id == name else None


def _changed(contract: Contract, note: str) -> Contract:
    key, _, value = note.partition("=")
    if key == "level":
        return contract.changed(level=int(value))
    if key == "depth":
        return contract.changed(depth=int(value))
    if key == "k":
        return contract.changed(k=tuple(int(each) for each in value.split("/")))
    if key == "ties":
        return contract.changed(ties=value)
    if key == "na_prob_thresh":
        return contract.changed(na_prob_thresh=value)
    if note == "complete":
        return contract.changed(complete=True)
    raise ContractError(f"{note!r} is not an option of a contract")
