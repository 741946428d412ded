"""What public objects have in common: they show themselves, and their numbers are floats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, overload

from assay.display.frames import FrameKind, as_frame

if TYPE_CHECKING:
    import polars as pl

    from assay.display.summary import Summary


class Displayed(ABC):
    """An object with a short `repr`, a view in notebooks, and its rows as a data frame.

    A dataclass that inherits from it is declared with `repr=False`, or gets another `repr`.
    """

    __slots__ = ()

    @abstractmethod
    def _summary(self) -> Summary:
        """Return what to show: tables and notes in brief, and everything else."""

    @abstractmethod
    def _rows(self) -> pl.DataFrame:
        """Return the rows of `to_frame`."""

    def __repr__(self) -> str:
        return self._summary().text()

    def _repr_html_(self) -> str:
        """Return HTML for Jupyter, VS Code and Colab: escaped, without scripts or fixed colours."""
        return self._summary().html()

    @overload
    def to_frame(self, frame: Literal["polars"] = "polars") -> pl.DataFrame: ...

    @overload
    def to_frame(self, frame: Literal["pandas"]) -> Any: ...

    def to_frame(self, frame: FrameKind = "polars") -> Any:
        """Return one row per measure or finding: a Polars frame, or a pandas one if asked for."""
        return as_frame(self._rows(), frame)


class Checks(Displayed):
    """A report of checks: a sized collection of findings that is neither true nor false itself."""

    __slots__ = ()

    def __bool__(self) -> bool:
        """Refuse: `if report` could mean that it has findings, or that everything is fine."""
        kind = type(self).__name__
        raise TypeError(f"{kind} is neither true nor false; use .ok, or len() for its size")


class MeasuredNumber(float):
    """A float with named fields next to it, one of which is the number itself.

    Subclasses are frozen dataclasses with `eq=False`: a measured number compares, sorts, hashes and
    formats like the float that it is, so `value > 0.5` and `f"{value:.3f}"` mean what they say.
    """

    __slots__ = ()
    _number: ClassVar[str]  # the field that holds the float

    def __new__(cls, **given: Any) -> Self:
        """Return the float of one field; the dataclass sets all of them."""
        return super().__new__(cls, given[cls._number])

    def __str__(self) -> str:
        """Every digit, as a float prints: a number that is written to a file loses nothing."""
        return float.__repr__(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by the fields: a float would be rebuilt from its number alone."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type] # of a subclass
        return _rebuilt, (type(self), given)


def _rebuilt(kind: type[MeasuredNumber], given: dict[str, Any]) -> MeasuredNumber:
    return kind(**given)


def short(number: float) -> str:
    """Return four decimals; none for a whole number that is neither 0 nor 1."""
    return f"{number:,.0f}" if number.is_integer() and abs(number) > 1 else f"{number:.4f}"
