"""What recomputing a per-query table found: values, claims, and what could not be recomputed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from assay.display.displayed import Checks

if TYPE_CHECKING:
    import polars as pl

    from assay.display.summary import Summary

TOLERANCE = 1e-9
MATCH, OTHER, NONE, UNKNOWN = "match", "other definition", "matches nothing", "not recomputed"
"""Verdicts on a claim."""


@dataclass(frozen=True, slots=True)
class RecomputedValue:
    """A measure of the table by both implementations."""

    name: str
    definition: str
    value: float
    n: int
    second: float | None  # of the second implementation

    @property
    def agrees(self) -> bool:
        """Whether both implementations give the same value."""
        return self.second is not None and abs(self.value - self.second) <= TOLERANCE


@dataclass(frozen=True, slots=True)
class Claim:
    """A claimed value, and the definition that gives it."""

    label: str  # as printed
    claimed: str
    verdict: str
    definition: str = ""  # that gives the claimed value, or the nearest one
    value: float | None = None
    expected: str = ""  # the definition of the contract
    expected_value: float | None = None
    why: str = ""
    others: int = 0  # further definitions that give the claimed value
    per_query: bool = False  # a column of the table, compared query by query


@dataclass(frozen=True, slots=True, repr=False)
class ClaimReport(Checks):
    """The values that a table gives, and how claims compare with them."""

    table: str
    contract: str
    queries: int
    columns: Mapping[str, str]  # of the table, by role
    values: tuple[RecomputedValue, ...]
    absent: Mapping[str, str]  # measures that the table cannot give, and why
    claims: tuple[Claim, ...] = ()
    unread: tuple[str, ...] = ()  # parts of the claims that are not known measures
    source: str = ""  # of the claims
    said_none: int = 0  # cells of gold with a word such as nan

    @property
    def disagreements(self) -> tuple[RecomputedValue, ...]:
        """The values on which the two implementations differ."""
        return tuple(each for each in self.values if not each.agrees)

    @property
    def unmatched(self) -> tuple[Claim, ...]:
        """The claims that no definition gives."""
        return tuple(each for each in self.claims if each.verdict == NONE)

    @property
    def ok(self) -> bool:
        """Whether both implementations agree, and no claim matches nothing."""
        return not self.disagreements and not self.unmatched

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def __len__(self) -> int:
        return len(self.claims)

    def _summary(self) -> Summary:
        from assay.verification.display.check_summaries import claim_summary

        return claim_summary(self)

    def _rows(self) -> pl.DataFrame:
        from assay.verification.display.check_summaries import claim_rows

        return claim_rows(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "schema": "assay/claims/1",
            "table": self.table,
            "ok": self.ok,
            "contract": self.contract,
            "queries": self.queries,
            "columns": dict(self.columns),
            "said_none": self.said_none,
            "values": [{**asdict(each), "agrees": each.agrees} for each in self.values],
            "absent": dict(self.absent),
            "source": self.source,
            "claims": [asdict(each) for each in self.claims],
            "unread": list(self.unread),
        }
