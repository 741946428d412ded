"""Hand-computed measures of the queries of a post, or of a criterion, together."""

from collections.abc import Callable

import pytest

from assay_oracle import Outcome, Query, evaluate

Measure = Callable[..., Outcome]


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        # Posts P (a, b) and Q (c, d), e and f alone; right at 0.5 are a, c, e and f.
        ("exact_match:at=0.5,on=all", 2 / 4),
        ("exact_match:at=0.5,on=evidence", 1 / 2),
        ("hamming_score:at=0.5,on=all", (1 / 2 + 1 / 2 + 1 + 1) / 4),
        ("hamming_loss:at=0.5,on=all", 1 / 4),
        ("macro_f1:over=posts,empty=0,at=0.5,on=all", (2 / 3 + 2 / 3) / 4),
        ("macro_f1:over=posts,empty=1,at=0.5,on=all", (2 / 3 + 2 / 3 + 1 + 1) / 4),
        # Criterion 1: a and c, both found; 2: b false alarm and d missed; no name: e and f.
        ("macro_f1:over=criteria,empty=0,at=0.5,on=all", 1 / 3),
        ("macro_f1:over=criteria,empty=1,at=0.5,on=all", 2 / 3),
        # tune: P has TP 1 and FP 1, Q has TP 2; they weigh 1 and 2.
        ("weighted_f1:over=posts,at=tune,on=all", (1 * 2 / 3 + 2 * 1) / 3),
        # Criterion 1: TP 2; 2: TP 1, FP 1.
        ("weighted_f1:over=criteria,at=tune,on=all", (2 * 1 + 1 * 2 / 3) / 3),
    ],
)
def test_value(six: Measure, definition: str, expected: float) -> None:
    outcome = six(definition)
    assert outcome.value == pytest.approx(expected, abs=1e-15)
    assert (outcome.per_query, outcome.by_convention, outcome.reason) == (None, {}, None)


def test_n_is_the_number_of_queries_also_over_posts(six: Measure) -> None:
    assert six("exact_match:at=0.5,on=all").n == 6


def test_no_positive_label_has_no_weight(binary: Measure) -> None:
    outcome = binary("weighted_f1:over=posts,at=0.5,on=all", [(0.75, 0), (0.25, 0)])
    assert (outcome.value, outcome.reason) == (0.0, "zero_denominator")


def test_a_false_alarm_is_not_empty(binary: Measure) -> None:
    assert binary("macro_f1:over=posts,empty=1,at=0.5,on=all", [(0.75, 0)]).value == 0.0
    assert binary("macro_f1:over=posts,empty=1,at=0.5,on=all", [(0.25, 0)]).value == 1.0


def test_a_query_without_post_is_alone_even_if_a_post_bears_its_id() -> None:
    queries = [Query("q", prob=0.75), Query("r", post="q", prob=0.75)]
    definition = "exact_match:at=0.5,on=all"
    assert evaluate(queries, [("q", "x", 1)], [], [definition])[definition].value == 0.5


def test_the_nameless_criterion_is_not_the_one_named_none() -> None:
    queries = [Query("q", prob=0.75), Query("r", criterion="None", prob=0.75)]
    definition = "macro_f1:over=criteria,empty=0,at=0.5,on=all"
    # F1 of 1 and 0, not one F1 of 2/3.
    assert evaluate(queries, [("q", "x", 1)], [], [definition])[definition].value == 0.5
