"""Hand-computed areas under the risk-coverage curve."""

from collections.abc import Callable

import pytest

from assay_oracle import Outcome

Measure = Callable[..., Outcome]


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        # Confidence .375 (a, f: right), .25 (b: wrong), .125 (c, e right, d wrong): risks
        # 0, 0, 1/3, (4/3)/4, (5/3)/5, 2/6.
        ("aurc:at=0.5,on=all", 4 / 3 / 6),
        ("eaurc:at=0.5,on=all", 4 / 3 / 6 - (1 / 5 + 2 / 6) / 6),
    ],
)
def test_value(six: Measure, definition: str, expected: float) -> None:
    outcome = six(definition)
    assert outcome.value == pytest.approx(expected, abs=1e-15)
    assert (outcome.per_query, outcome.by_convention, outcome.reason) == (None, {}, None)


@pytest.mark.parametrize(
    ("definition", "pairs", "expected"),
    [
        # Right with confidence 1/4, wrong with 1/2: the one error comes first, 1/1 and 1/2.
        ("aurc:at=0.25,on=all", [(0.5, 1), (0.75, 0)], 3 / 4),
        ("eaurc:at=0.25,on=all", [(0.5, 1), (0.75, 0)], 3 / 4 - 1 / 4),
        ("eaurc:at=0.5,on=all", [(0.5, 0), (0.75, 1)], 0.0),
        ("aurc:at=0.5,on=all", [(0.75, 0), (0.75, 0)], 1.0),
        # 0.3 and 0.7 are equally sure: one error among two, at both coverages.
        ("aurc:at=0.5,on=all", [(0.7, 0), (0.3, 0)], 0.5),
        ("aurc:at=0.5,on=all", [(0.7, 1), (0.3, 1)], 0.5),
        ("eaurc:at=0.5,on=all", [(0.75, 0), (0.75, 0)], 1 - (1 / 1 + 2 / 2) / 2),
    ],
)
def test_small_cases(
    binary: Measure, definition: str, pairs: list[tuple[float, int]], expected: float
) -> None:
    assert binary(definition, pairs).value == pytest.approx(expected, abs=1e-15)
