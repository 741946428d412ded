"""How another tool spells a measure of assay; each entry lists its own."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

POPULATIONS = {"ir_measures": "all", "trec_eval": "predicted", "ranx": "all", "scikit-learn": "all"}
"""The queries that each tool averages over: those of the qrels, or those of the run among them."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """The names of one tool for a measure, and the parameters that the tool's definition has.

    `names` are separated by spaces. `P@k` has a cut-off and `AP[@k]` may have one; `ndcg_cut_k`
    is trec_eval's form, with `_` or `.`; the number of `rbp.p` is the decimals of a parameter, that
    of `Rprec_mult_x` the value of the first one.
    """

    tool: str
    names: str
    fixed: str = ""  # parameters that differ from assay's defaults, as in a definition id
    needs: str = ""  # a keyword without which the tool means another measure; with !, one that changes it

    def fits(self, keywords: Container[str]) -> bool:
        """Return whether a name with these keywords may mean this measure."""
        if not self.needs:
            return True
        return (self.needs.lstrip("!") in keywords) is not self.needs.startswith("!")

    def patterns(self) -> list[tuple[str, str]]:
        """Return each name without its number, and the form of the number."""
        return [_split(name) for name in self.names.split()]

    def parameters(self) -> dict[str, str]:
        """Return the fixed parameters by name."""
        return dict(part.split("=", 1) for part in self.fixed.split(",") if part)


def _split(name: str) -> tuple[str, str]:
    found = re.fullmatch(r"(.+?)(\[@k\]|@k|_k|_x|\.p)?", name)
    assert found is not None, "a name is not empty"
    return found[1], found[2] or ""
