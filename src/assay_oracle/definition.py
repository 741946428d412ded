"""A definition id, read against the grammar: every parameter spelled, in the order given there."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from assay_oracle.grammar import FORMS, Form


@dataclass(frozen=True)
class Definition:
    """A checked definition id; `cut` is the text after the @, None where there is none."""

    text: str
    name: str
    cut: str | None
    parameters: Mapping[str, str]

    @property
    def k(self) -> int | None:
        """The cut-off rank; None stands for infinity (`@all`, or no cut at all)."""
        return None if self.cut is None or self.cut == "all" else int(self.cut)

    @property
    def level(self) -> Fraction:
        """The decimal after the @ (a recall level, a budget, a threshold), exactly as written."""
        if self.cut is None:
            raise ValueError(f"{self.text}: it has no level")
        return _exact(self.cut)

    @property
    def rel(self) -> int:
        """The grade from which on an item is relevant."""
        return int(self.parameters["rel"])

    def choice(self, parameter: str) -> str:
        """The value of a parameter, as text."""
        return self.parameters[parameter]

    def number(self, parameter: str) -> Fraction:
        """The value of a numeric parameter, exactly as written."""
        return _exact(self.parameters[parameter])


@lru_cache
def _exact(decimal: str) -> Fraction:
    """Read once: a measure asks for its threshold at every query."""
    return Fraction(decimal)


def parse(text: str) -> Definition:
    """Read `name[@cut][:parameter=value,…]`; a ValueError says what was expected instead."""
    head, _, tail = text.partition(":")
    name, at, cut = head.partition("@")
    if name not in FORMS:
        raise ValueError(f"{text}: no measure is named {name!r}; expected one of {sorted(FORMS)}")
    form = FORMS[name]
    _check_cut(text, form, cut if at else None)
    return Definition(text, name, cut if at else None, _parameters(text, form, tail))


def _check_cut(text: str, form: Form, cut: str | None) -> None:
    if form.cut is None:
        if cut is not None:
            raise ValueError(f"{text}: the cut is {cut!r}; this measure takes none")
    elif cut is None:
        if form.cut_required:
            raise ValueError(f"{text}: the cut is missing; expected @ and {form.cut.expected}")
    elif not form.cut.accepts(cut):
        raise ValueError(f"{text}: the cut is {cut!r}; expected {form.cut.expected}")


def _parameters(text: str, form: Form, tail: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in tail.split(",")] if tail else []
    names = [name for name, _, _ in pairs]
    if names != list(form.parameters):
        raise ValueError(
            f"{text}: the parameters are {names}; expected {list(form.parameters)} in this order"
        )
    for name, _, value in pairs:
        expected = form.parameters[name]
        if not expected.accepts(value):
            raise ValueError(f"{text}: {name} is {value!r}; expected {expected.expected}")
    return {name: value for name, _, value in pairs}
