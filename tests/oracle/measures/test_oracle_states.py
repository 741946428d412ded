"""Hand-computed rates of the three states."""

from collections.abc import Callable

import pytest

from assay_oracle import Outcome

Measure = Callable[..., Outcome]


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ("rate:state=neg,on=all", 2 / 6),
        ("rate:state=uncertain,on=all", 3 / 6),
        ("rate:state=pos,on=all", 1 / 6),
        ("rate:state=pos,on=evidence", 1 / 3),
        ("alert_rate_per_1000:on=all", 1000 / 6),
        ("screening_fn_per_1000:on=all", 1000 / 6),  # d; f is NEG too, but rightly
        ("screening_fn_per_1000:on=evidence", 1000 / 3),
    ],
)
def test_value(six: Measure, definition: str, expected: float) -> None:
    outcome = six(definition)
    assert outcome.value == pytest.approx(expected, abs=1e-13)
    assert (outcome.per_query, outcome.by_convention, outcome.reason) == (None, {}, None)
