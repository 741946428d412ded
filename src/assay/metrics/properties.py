"""What may be asked of a measure: an entry says of each property of its kind, holds or fails."""

from __future__ import annotations

from enum import Enum, StrEnum


class Property(StrEnum):
    """A change of the input and what must follow from it."""

    APPEND_UNJUDGED = "an unjudged candidate added at the end of the list changes nothing"
    SWAP_UP_NEVER_HURTS = "a relevant candidate that moves up past a non-relevant one never hurts"
    NEW_HIT_NEVER_HURTS = "missed gold that takes the place of an unjudged candidate never hurts"
    MISSED_GOLD_NEVER_HELPS = "one more gold item that was not retrieved never helps"
    UNJUDGED_IS_NONRELEVANT = "judging an unjudged candidate non-relevant changes nothing"
    IDEAL_IS_BEST = "the ideal ranking (all gold first, by grade) has the top value of the range"
    GROWS_WITH_K = "a larger k never lowers the value"
    DUPLICATION = "every query counted twice leaves the value as it was"
    QUERY_ORDER = "the order of the queries changes nothing"
    COUNTS_ARE_ROWS = "counting a query c times is the same as c copies of it"
    MONOTONE_SCORES = "a strictly increasing change of the probabilities changes nothing"
    LABEL_FLIP = "flipped labels give one minus the value"


_RANKING = frozenset(
    {
        Property.APPEND_UNJUDGED,
        Property.SWAP_UP_NEVER_HURTS,
        Property.NEW_HIT_NEVER_HURTS,
        Property.MISSED_GOLD_NEVER_HELPS,
        Property.UNJUDGED_IS_NONRELEVANT,
        Property.IDEAL_IS_BEST,
    }
)
_AGGREGATE = frozenset({Property.DUPLICATION, Property.QUERY_ORDER, Property.COUNTS_ARE_ROWS})


class Kind(Enum):
    """Kinds of measures, each with the properties that must be decided for it."""

    CUT_RANKING = "a ranking at a cut-off"
    RANKING = "a whole ranking"
    TOTAL = "a total over queries"
    GATE = "an order of the queries by probability"
    DECISION = "a decision a query"
    SELECTION = "a number of returned sentences a query"

    @property
    def properties(self) -> frozenset[Property]:
        """Properties that an entry of this kind must place in `holds` or `fails`."""
        return {
            Kind.CUT_RANKING: _RANKING | _AGGREGATE | {Property.GROWS_WITH_K},
            Kind.RANKING: _RANKING | _AGGREGATE,
            Kind.TOTAL: _AGGREGATE,
            Kind.GATE: _AGGREGATE | {Property.MONOTONE_SCORES, Property.LABEL_FLIP},
            Kind.DECISION: _AGGREGATE,
            Kind.SELECTION: _AGGREGATE,
        }[self]
