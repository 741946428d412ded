"""Every error that assay raises on purpose, in one tree.

Messages spell parameters as Python does, in backticks: `by`, `split='NAME'`, `overwrite=True`. The
command line replaces them by its options (cli/flags.py).

AssayError               exit code 2: the input, a name or a setting is not usable
├── InputError           files or frames with faults, all of them at once
│   └── FileError        a file that the operating system would not read or write
├── ContractError        a contract that does not exist or contradicts itself
├── MeasureError         a measure that does not exist, or that the data do not support
│   └── MissingMeasureError  one that a result or comparison does not have; a KeyError too
├── CompositionError     stages of a pipeline that do not fit together
├── StageError           a user's own stage failed, or returned something else than it declares
├── MissingExtraError    a library of an optional extra is not installed
└── InternalError        exit code 3: a part of assay failed, whatever the input

Caught inside assay: ScatteredQueriesError, OddLineError, NotANumberError, Terminated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from assay.version import pip_install

SHOWN_FAULTS = 20
SHOWN_VALUE = 60
UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)
"""Control characters, line and direction marks, lone surrogates, what is no character or cannot be seen:
a terminal would obey some of them, XML forbids some, and two ids may differ in nothing else. The joiners
U+200C and U+200D stay: Persian, Hindi and emoji are written with them."""


def printable(text: str, keep: str = "") -> str:
    r"""Return a text that a terminal shows and does not obey: `\x1b[2J`, not an escape.

    Characters in `keep`, such as line breaks, stay.
    """
    return UNPRINTABLE.sub(lambda found: found[0] if found[0] in keep else repr(found[0])[1:-1], text)


def shown(value: object) -> str:
    """Return a value for a message: quoted when it is text, cut when it is long."""
    text = repr(value) if isinstance(value, str | bytes) else str(value)
    if len(text) <= SHOWN_VALUE:
        return text
    return f"{text[:SHOWN_VALUE]}… ({len(text)} characters)"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with an input: where it is, what is there, and what to do."""

    source: str
    place: str
    problem: str
    expected: str

    @property
    def row(self) -> int:
        """The number of its row or line; 0 where it has none."""
        digits = "".join(re.findall("[0-9]", self.place))
        return int(digits[:18] or 0)

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

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Fault, ...]]]:
        """Pickle by the faults: an exception is otherwise rebuilt from its message."""
        return type(self), (self.faults,)

    @classmethod
    def of(cls, source: str, problem: str, expected: str, place: str = "") -> Self:
        """Return an input error with a single fault."""
        return cls([Fault(source, place, problem, expected)])


class FileError(InputError):
    """A file that the operating system would not read or write, such as on a full disk."""


class ContractError(AssayError):
    """A contract that does not exist, cannot be read, or contradicts itself."""


class MeasureError(AssayError):
    """A measure that is not in the catalogue, or that these data cannot have."""


class MissingMeasureError(MeasureError, KeyError):
    """A measure that a result or comparison does not have, which makes it a missing key too."""

    __str__ = Exception.__str__  # a KeyError shows the quoted key


class CompositionError(AssayError):
    """Stages that do not fit together; raised before anything runs."""


class StageError(AssayError):
    """A user's own stage failed, or returned something else than it declares."""


class UnknownTreesError(AssayError):
    """The installed scikit-learn stores trees in a way that assay does not know."""


class MissingExtraError(AssayError):
    """A library of an optional extra is not installed."""

    @classmethod
    def of(cls, package: str, extra: str) -> Self:
        """Return the error of a missing package, with the command that installs its extra."""
        return cls(f"{package} is not installed; install the extra: {pip_install(extra)}")


class InternalError(AssayError):
    """A part of assay failed: exit code 3, whatever the input."""

    exit_code = 3


class ScatteredQueriesError(Exception):
    """The lines of a query are not together: the run must be read as a whole."""


class OddLineError(Exception):
    """A line of TREC text is not in plain form: the file must be read line by line."""


class FunctionRaisedError(Exception):
    """A user's function raised its cause; the text says for which query, if that is known."""


class NotANumberError(ValueError):
    """A cell of a published table holds something other than a value."""


class Terminated(BaseException):
    """SIGTERM came. Not an Exception: nothing but the end of the command may catch it."""
