"""A definition id as data: the measure's name, its cut and every parameter."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache


@dataclass(frozen=True)
class Definition:
    """A checked definition id; `cut` is the text after the @, None if the id has no @."""

    text: str
    name: str
    cut: str | None
    parameters: Mapping[str, str]

    @property
    def k(self) -> int | None:
        """The cut-off rank; None means infinity (`@all`, or no cut at all)."""
        return None if self.cut is None or self.cut == "all" else int(self.cut)

    @property
    def level(self) -> Fraction:
        """The decimal after the @ (a recall level, a budget, a threshold), exactly as written."""
        if self.cut is None:
            raise ValueError(f"{self.text}: it has no level")
        return _exact(self.cut)

    @property
    def rel(self) -> int:
        """The lowest grade that counts as relevant."""
        return int(self.parameters["rel"])

    def choice(self, parameter: str) -> str:
        """Return the value of a parameter as text."""
        return self.parameters[parameter]

    def number(self, parameter: str) -> Fraction:
        """Return the value of a numeric parameter, exactly as written."""
        return _exact(self.parameters[parameter])


@lru_cache
def _exact(decimal: str) -> Fraction:
    """Parse once: a measure asks for its threshold at every query."""
    return Fraction(decimal)
