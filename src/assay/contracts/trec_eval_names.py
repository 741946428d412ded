"""Names of trec_eval that mean several measures: nicknames, and measures without their numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from assay.errors import MeasureError

SEVERAL = re.compile(r"(\w+)\.([0-9.]+(?:,[0-9.]+)+)")
CUTS = re.compile(r"([^@]+)@([0-9]+(?:,[0-9]+)+)")
NUMBERED = re.compile(r"(.+)_[0-9]+(?:\.[0-9]+)?")
COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret")
OFFICIAL = ("map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P")
SETS = ("utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F")
NICKNAMES = {"official": (*COUNTS, *OFFICIAL), "set": (*COUNTS, *SETS)}
ALL = "all_trec"


def expanded(names: Iterable[str], known: Collection[str], *, own: bool) -> tuple[str, ...]:
    """Return the names with those that mean several measures replaced by these.

    `known` are the names of the contract. `P.7,9` is P_7 and P_9 under every contract, `P@7,9` is P@7
    and P@9. Under `trec_eval/10` (`own`), `P` is P_5 to P_1000, `official` and `set` are the nicknames
    of trec_eval, and `all_trec` is every measure.
    """
    return tuple(dict.fromkeys(each for name in names for each in _expanded(name, known, own=own)))


def _expanded(name: str, known: Collection[str], *, own: bool) -> Iterator[str]:
    several = SEVERAL.fullmatch(name)
    if several is not None and several[1] != "utility":
        yield from (f"{several[1]}.{number}" for number in several[2].split(","))
    elif (cuts := CUTS.fullmatch(name)) is not None:
        yield from (f"{cuts[1]}@{cut}" for cut in cuts[2].split(","))
    elif not own and name in (ALL, *NICKNAMES) and name not in known:
        raise MeasureError(
            f"{name} is trec_eval's name for several measures; use it with contract trec_eval/10"
        )
    elif own and name == ALL:
        yield from known
    elif own and name in NICKNAMES:
        for each in NICKNAMES[name]:
            yield from _expanded(each, known, own=own)
    elif own and name not in known:
        numbered = [each for each in known if (m := NUMBERED.fullmatch(each)) and m[1] == name]
        yield from numbered or [name]
    else:
        yield name
