"""Hand-computed values of the measures of one ranked list, with every convention."""

from collections.abc import Callable

import pytest

from assay_oracle import Outcome

Measure = Callable[..., Outcome]


@pytest.mark.parametrize(
    ("definition", "ranked", "missed", "expected"),
    [
        # Hits at ranks 1 and 3 of 4, one more gold item was missed: R = 3.
        ("recall@1:gold=all,rel=1,on=all", "1010", "1", 1 / 3),
        ("recall@3:gold=all,rel=1,on=all", "1010", "1", 2 / 3),
        ("recall@1:gold=retrieved,rel=1,on=all", "1010", "1", 1 / 2),
        ("recall@all:gold=retrieved,rel=1,on=all", "1010", "1", 1.0),
        ("recall@3:gold=all,rel=2,on=all", "121", "2", 1 / 2),
        ("precision@10:denominator=k,rel=1,on=all", "1010", "1", 2 / 10),
        ("precision@10:denominator=k_eff,rel=1,on=all", "1010", "1", 2 / 4),
        ("precision@10:denominator=min_r_k,rel=1,on=all", "1010", "1", 2 / 3),
        ("precision@2:denominator=min_r_k,rel=1,on=all", "1010", "1", 1 / 2),
        ("precision@all:denominator=k,rel=1,on=all", "1010", "1", 2 / 4),
        ("precision@all:denominator=k_eff,rel=1,on=all", "1010", "1", 2 / 4),
        ("precision@all:denominator=min_r_k,rel=1,on=all", "1010", "1", 2 / 3),
        ("hit@2:rel=1,on=all", "001", "", 0.0),
        ("hit@3:rel=1,on=all", "001", "", 1.0),
        ("mrr:rel=1,on=all", "0001", "", 1 / 4),
        ("mrr@4:rel=1,on=all", "0001", "", 1 / 4),
        ("mrr@3:rel=1,on=all", "0001", "", 0.0),
        ("mrr:rel=2,on=all", "102", "", 1 / 3),
        # AP: precision 1/1 at the first hit and 2/3 at the second, 5/3 in all, R = 5.
        ("map@3:denominator=R,cut=k,rel=1,on=all", "101", "111", 5 / 3 / 5),
        ("map@3:denominator=min_r_k,cut=k,rel=1,on=all", "101", "111", 5 / 3 / 3),
        ("map@3:denominator=hits,cut=k,rel=1,on=all", "101", "111", 5 / 3 / 2),
        # n = 3 is shorter than k = 4, so only cut=k_eff lowers min(R, K) from 4 to 3.
        ("map@4:denominator=min_r_k,cut=k,rel=1,on=all", "101", "111", 5 / 3 / 4),
        ("map@4:denominator=min_r_k,cut=k_eff,rel=1,on=all", "101", "111", 5 / 3 / 3),
        ("map@all:denominator=min_r_k,cut=k,rel=1,on=all", "101", "111", 5 / 3 / 5),
        ("map@all:denominator=min_r_k,cut=k_eff,rel=1,on=all", "101", "111", 5 / 3 / 3),
        ("map@2:denominator=R,cut=k,rel=1,on=all", "101", "111", 1 / 5),
        ("rprec:rel=1,on=all", "10100", "1", 2 / 3),
        ("rprec:rel=1,on=all", "1", "11", 1 / 3),
        # P = 2/5, R = 2/3: F1 = 2·(4/15)/(16/15) = 1/2; F2 = 5·(4/15)/(24/15 + 10/15) = 10/17.
        ("f@5:beta=1,rel=1,on=all", "10100", "1", 1 / 2),
        ("f@5:beta=2,rel=1,on=all", "10100", "1", 10 / 17),
        ("f@all:beta=1,rel=1,on=all", "1010", "", 2 * (1 / 2) / (3 / 2)),
        ("f@2:beta=1,rel=1,on=all", "001", "", 0.0),
        # RBP: 0.2 · (0.8^0 + 0.8^2) = 0.2 · 1.64.
        ("rbp:p=0.8,rel=1,on=all", "101", "", 0.328),
        ("rbp:p=0.5,rel=2,on=all", "12", "", 0.25),
    ],
)
def test_value(
    measure: Measure, definition: str, ranked: str, missed: str, expected: float
) -> None:
    outcome = measure(definition, ranked, missed)
    assert outcome.value == pytest.approx(expected, abs=1e-15)
    assert outcome.per_query == {"q": outcome.value}
    assert outcome.by_convention == {}


def test_the_three_average_precisions_of_one_ranking(measure: Measure) -> None:
    values = [
        measure(f"map@3:denominator={denominator},cut=k,rel=1,on=evidence", "101", "111").value
        for denominator in ("R", "min_r_k", "hits")
    ]
    assert [f"{value:.3f}" for value in values] == ["0.333", "0.556", "0.833"]


@pytest.mark.parametrize(
    ("definition", "ranked", "missed", "reason"),
    [
        ("recall@3:gold=all,rel=1,on=all", "000", "", "no_gold"),
        ("recall@3:gold=all,rel=2,on=all", "111", "", "no_gold"),
        ("recall@3:gold=all,rel=1,on=all", "", "", "no_gold"),
        ("recall@3:gold=all,rel=1,on=all", "", "1", "no_candidates"),
        ("recall@3:gold=retrieved,rel=1,on=all", "", "1", "no_candidates"),
        ("recall@3:gold=retrieved,rel=1,on=all", "000", "1", "no_retrieved_gold"),
        ("precision@3:denominator=min_r_k,rel=1,on=all", "000", "", "no_gold"),
        ("precision@3:denominator=k,rel=1,on=all", "", "", "no_candidates"),
        ("hit@3:rel=1,on=all", "", "", "no_candidates"),
        ("mrr:rel=1,on=all", "00", "", "no_gold"),
        ("mrr:rel=1,on=all", "", "1", "no_candidates"),
        ("map@3:denominator=R,cut=k,rel=1,on=all", "00", "", "no_gold"),
        ("map@3:denominator=hits,cut=k,rel=1,on=all", "0001", "", "no_hits"),
        ("map@3:denominator=hits,cut=k,rel=1,on=all", "", "1", "no_candidates"),
        ("rprec:rel=1,on=all", "0", "", "no_gold"),
        ("f@3:beta=1,rel=1,on=all", "0", "", "no_gold"),
        ("rbp:p=0.8,rel=1,on=all", "", "", "no_candidates"),
    ],
)
def test_zero_by_convention(
    measure: Measure, definition: str, ranked: str, missed: str, reason: str
) -> None:
    outcome = measure(definition, ranked, missed)
    assert (outcome.value, outcome.by_convention) == (0.0, {reason: 1})


@pytest.mark.parametrize(
    "definition",
    [
        "precision@3:denominator=k,rel=1,on=all",
        "precision@3:denominator=k_eff,rel=1,on=all",
        "hit@3:rel=1,on=all",
        "rbp:p=0.8,rel=1,on=all",
    ],
)
def test_a_list_without_gold_is_a_plain_zero_where_the_formula_has_a_value(
    measure: Measure, definition: str
) -> None:
    outcome = measure(definition, "000")
    assert (outcome.value, outcome.by_convention) == (0.0, {})
