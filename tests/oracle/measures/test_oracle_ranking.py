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
        # R = 3, N = 2; hits have 0, 1 and 2 non-relevant above: (1 + (1 − 1/2) + (1 − 2/2)) / 3.
        ("bpref:rel=1,on=all", "10101", "", 1.5 / 3),
        # R = 2, N = 4; the hits have 1 and 3 above, the 3 capped at R: (1/2 + 0) / 2.
        ("bpref:rel=1,on=all", "010010", "0", 0.5 / 2),
        # Nothing judged non-relevant above, N = 0; unjudged items do not count: 2/2.
        ("bpref:rel=1,on=all", "-1p1", "", 1.0),
        # At level 2 the grade 1 is non-relevant: R = 1, N = 1, one above: 1 − 1/1.
        ("bpref:rel=2,on=all", "12", "", 0.0),
    ],
)
def test_value(measure: Measure, definition: str, ranked: str, missed: str, expected: float) -> None:
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
        ("bpref:rel=1,on=all", "0", "", "no_gold"),
        ("bpref:rel=1,on=all", "", "1", "no_candidates"),
    ],
)
def test_zero_by_convention(measure: Measure, definition: str, ranked: str, missed: str, reason: str) -> None:
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


@pytest.mark.parametrize(
    ("definition", "ranked", "missed", "expected"),
    [
        # Hits at ranks 2 and 3, R = 2: precision 0, 1/2, 2/3 by rank.
        ("iprec@0.0:need=ceil,rel=1,on=all", "011", "", 2 / 3),
        ("iprec@0.5:need=ceil,rel=1,on=all", "1000001", "", 1.0),
        ("iprec@0.6:need=ceil,rel=1,on=all", "1000001", "", 2 / 7),
        # x·R = 0.2·6 = 1.2: ceil and floor(2.1) need 2 hits, rounding needs 1.
        ("iprec@0.2:need=ceil,rel=1,on=all", "1001", "1111", 1 / 2),
        ("iprec@0.2:need=trec9,rel=1,on=all", "1001", "1111", 1 / 2),
        ("iprec@0.2:need=round,rel=1,on=all", "1001", "1111", 1.0),
        # x·R = 0.05·21 = 1.05: ceil needs 2, floor(1.95) = 1 and rounding 1.
        ("iprec@0.05:need=ceil,rel=1,on=all", "1001", "1" * 19, 1 / 2),
        ("iprec@0.05:need=trec9,rel=1,on=all", "1001", "1" * 19, 1.0),
        # x·R = 0.5·3 = 1.5 rounds away from zero, to 2.
        ("iprec@0.5:need=round,rel=1,on=all", "1001", "1", 1 / 2),
        # x·R = 0.7·10 is exactly 7 as a fraction; fewer than 7 were retrieved.
        ("iprec@0.7:need=ceil,rel=1,on=all", "1111111", "111", 1.0),
        ("iprec@0.7:need=ceil,rel=1,on=all", "111111", "1111", 0.0),
        # R = 2: levels 0.0 to 0.5 need one hit (precision 1), 0.6 to 1.0 need two (2/4).
        ("iprec_avg:need=ceil,rel=1,on=all", "1001", "", (6 * 1 + 5 / 2) / 11),
    ],
)
def test_interpolated_precision(
    measure: Measure, definition: str, ranked: str, missed: str, expected: float
) -> None:
    assert measure(definition, ranked, missed).value == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("name", ["iprec@0.5", "iprec_avg"])
@pytest.mark.parametrize(("ranked", "missed", "reason"), [("00", "", "no_gold"), ("", "1", "no_candidates")])
def test_interpolated_precision_by_convention(
    measure: Measure, name: str, ranked: str, missed: str, reason: str
) -> None:
    outcome = measure(f"{name}:need=ceil,rel=1,on=all", ranked, missed)
    assert (outcome.value, outcome.by_convention) == (0.0, {reason: 1})
