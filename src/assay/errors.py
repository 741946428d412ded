"""Every error that assay raises on purpose, in one tree.

AssayError               exit code 2: the input, a name or a setting is not usable
├── InputError           files or frames with faults, all of them at once
│   └── FileError        a file that the operating system would not read or write
├── ContractError        a contract that does not exist or contradicts itself
└── MeasureError         a measure that does not exist, or that the data cannot have
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

SHOWN_FAULTS = 20
SHOWN_VALUE = 60


def shown(value: object) -> str:
    """A value for a message: quoted when it is text, cut when it is long."""
    text = repr(value) if isinstance(value, str | bytes) else str(value)
    if len(text) <= SHOWN_VALUE:
        return text
    return f"{text[:SHOWN_VALUE]}… ({len(text)} characters)"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with an input: where it stands, what stands there, what was expected."""

    source: str
    place: str
    problem: str
    expected: str

    @property
    def row(self) -> int:
        """The number of its row or line; 0 where it has none."""
        return int("".join(mark for mark in self.place if mark.isdigit()) or 0)

    def __str__(self) -> str:
        """`candidates.csv row 812: score is nan; scores must be finite`."""
        where = f"{self.source} {self.place}".strip()
        return f"{where}: {self.problem}; {self.expected}".removesuffix("; ")


class AssayError(Exception):
    """The base of the tree; the command line prints it as one sentence and exits with 2."""

    exit_code = 2


class InputError(AssayError):
    """Faults of an input, all that were found."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(faults, key=lambda fault: (fault.source, fault.row)))
        lines = [str(fault) for fault in self.faults[:SHOWN_FAULTS]]
        rest = len(self.faults) - SHOWN_FAULTS
        if rest > 0:
            lines.append(f"… and {rest} more of this kind or others")
        super().__init__("\n".join(lines))

    @classmethod
    def of(cls, source: str, problem: str, expected: str, place: str = "") -> Self:
        """An input error with a single fault."""
        return cls([Fault(source, place, problem, expected)])


class FileError(InputError):
    """A file that the operating system would not read or write, such as on a full disk."""


class ContractError(AssayError):
    """A contract that does not exist, cannot be read, or contradicts itself."""


class MeasureError(AssayError):
    """A measure that is not in the catalogue, or that these data cannot have."""
