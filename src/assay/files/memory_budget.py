"""How much memory a process may use, and what to say where that is not enough."""

from __future__ import annotations

import os
import re
import resource
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from assay.errors import InputError, shown

MB = 10**6
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
BINARY = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?) ?([KMGT]?)(I?)B?", re.IGNORECASE)
LEAST = 300 * MB
"""The smallest budget. The interpreter with NumPy, Polars and the modules of assay takes 100 MB, the
figures of a report 80 MB, and blocks of an input that are read, joined and ranked 100 MB."""
KEPT_FREE = 60 * MB
"""Of the budget, what is not planned with: allocators keep freed memory for a while."""


@dataclass(frozen=True, slots=True)
class MemoryBudget:
    """The largest resident memory of the process, in bytes."""

    size: int
    before: int = 0  # the peak of the process when the budget was given, where it was larger already

    @classmethod
    def of(cls, given: object) -> MemoryBudget | None:
        """Return the budget of a text such as 1GB or 800MB, or of a number of bytes; None without one.

        >>> MemoryBudget.of("1.5 GB")
        MemoryBudget(size=1500000000)
        >>> MemoryBudget.of("1GiB").size
        1073741824
        """
        if given is None or isinstance(given, MemoryBudget):
            return given
        found = SIZE.fullmatch(given.strip()) if isinstance(given, str) else None
        if found is not None:
            number, unit, binary = found.groups()
            size = int(float(number) * (BINARY if binary else UNITS)[unit.upper()])
        elif isinstance(given, int) and not isinstance(given, bool):
            size = given
        else:
            raise InputError.of("`memory`", f"is {shown(given)}", "expected a size such as 1GB or 800MB")
        if size < LEAST:
            problem = f"is {shown(given)}, and an evaluation needs at least {shown_size(LEAST)}"
            raise InputError.of("`memory`", problem, f"expected `memory='{shown_size(LEAST)}'` or more")
        return cls(size, peak() if peak() > size else 0)

    @property
    def free(self) -> int:
        """Return how many bytes may still be used."""
        return max(0, self.size - resident() - KEPT_FREE)

    def require(self, more: int, source: str, what: str, instead: str = "") -> None:
        """Raise where so many bytes more would exceed the budget."""
        if more > self.free:
            raise self.refused(resident() + more, source, what, instead)

    def refused(self, used: int, source: str, what: str, instead: str = "") -> InputError:
        """Return the error for something with which so many bytes would be used."""
        needed = shown_size(used + KEPT_FREE)
        problem = f"{what} need about {needed} of memory, and {self} are allowed"
        allow = f"allow them with `memory='{needed}'`"
        return InputError.of(source, problem, f"{allow}, or {instead}" if instead else allow)

    def require_whole(self, path: Path, times: int, what: str, instead: str = "") -> None:
        """Raise where a file that is held as a whole, at so many times its size, would exceed the budget."""
        with suppress(OSError, ValueError):  # reading it raises the error
            self.require(times * path.stat().st_size, path.name, what, instead)

    def check(self, source: str, what: str, instead: str = "") -> None:
        """Raise where the budget has been exceeded, as far as that can be known."""
        if peak() > max(self.size, self.before):
            raise self.refused(peak(), source, what, instead)

    def __str__(self) -> str:
        return shown_size(self.size)


def shown_size(size: int) -> str:
    """Return a size as a budget is written, rounded up to two digits or to MB.

    >>> shown_size(1_234_000_000), shown_size(300 * MB), shown_size(12_000_000_000)
    ('1.3GB', '300MB', '12GB')
    """
    if size < 1000 * MB:
        return f"{-(-size // MB)}MB"
    tenths = -(-size // (100 * MB))
    return f"{tenths / 10:g}GB" if tenths < 100 else f"{-(-tenths // 10)}GB"


def peak() -> int:
    """Return the largest resident memory that this process has had."""
    with suppress(OSError, ValueError, StopIteration):
        status = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in status if line.startswith("VmHWM")).split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def resident() -> int:
    """Return the resident memory of this process; where the system does not tell, its peak."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return peak()
