"""Thresholds worked out by hand for each rule, and by trying every threshold on small rows."""

from fractions import Fraction
from itertools import product
from math import asin, inf, nan, pi, sin, sqrt

import pytest

from assay_oracle.statistics.certified import doubt, effective_number
from assay_oracle.statistics.rules import Chosen, choose

Rows = list[tuple[float, bool, str]]


def apart(*pairs: tuple[float, int]) -> Rows:
    """Rows of (prob, label), each from a separate post."""
    return [(prob, bool(label), f"p{i}") for i, (prob, label) in enumerate(pairs)]


def falling(labels: str) -> Rows:
    """`++-`: labels by descending prob, which are (100 − i)/128 for i = 0, 1, …"""
    return apart(*(((100 - i) / 128, int(label == "+")) for i, label in enumerate(labels)))


def at(position: int) -> float:
    """The prob of the row in that position (from 1) of `falling`."""
    return (101 - position) / 128


def plain(value: float, reached: Fraction | int) -> Chosen:
    return Chosen(value, Fraction(reached), Fraction(0), None)


@pytest.mark.parametrize(
    ("rule", "rows", "expected"),
    [
        # (TP, FP) by position: (1,0) (1,1) (2,1) (2,2) (3,2) (3,3) (3,4) (3,5).
        ("fpr_0.2", falling("+-+-+---"), plain(at(3), Fraction(1, 5))),
        ("fpr_.2", falling("+-+-+---"), plain(at(3), Fraction(1, 5))),
        ("fpr_0.19", falling("+-+-+---"), plain(at(1), 0)),
        ("fpr_0.39", falling("+-+-+---"), plain(at(3), Fraction(1, 5))),
        ("fpr_0.4", falling("+-+-+---"), plain(at(5), Fraction(2, 5))),
        ("fpr_0.99", falling("+-+-+---"), plain(at(5), Fraction(2, 5))),  # not lower than need be
        ("fpr_0.5", falling("-+"), plain(inf, 0)),  # the one with a TP has FPR 1
        ("fpr_0.5", falling("-+-"), plain(at(2), Fraction(1, 2))),
        ("fpr_0.5", falling("--"), plain(inf, 0)),
        ("fpr_0.5", falling("+++"), plain(at(3), 0)),
        ("fpr_0.5", [], plain(inf, 0)),
        # Equal probs are decided together: the first two bring one FP of two.
        ("fpr_0.4", apart((0.9, 1), (0.9, 0), (0.5, 0)), plain(inf, 0)),
        ("fpr_0.5", apart((0.9, 1), (0.9, 0), (0.5, 0)), plain(0.9, Fraction(1, 2))),
        # 0.29 · 100 is below 29 in floats.
        ("fpr_0.29", falling("-" * 29 + "+" + "-" * 71), plain(at(30), Fraction(29, 100))),
        ("fpr_0.289", falling("-" * 29 + "+" + "-" * 71), plain(inf, 0)),
        # 2/(1+3), 2/(2+3), 4/(3+3), 6/(4+3), 6/(5+3).
        ("f1", falling("+-++-"), plain(at(4), Fraction(6, 7))),
        ("f1", falling("+--+"), plain(at(1), Fraction(2, 3))),  # 2/3 at the fourth too
        ("f1", falling("--+"), plain(at(3), Fraction(1, 2))),
        ("f1", apart((0.9, 1), (0.9, 0), (0.5, 1)), plain(0.5, Fraction(4, 5))),
        ("f1", falling("--"), plain(inf, 0)),
        ("f1", [], plain(inf, 0)),
    ],
)
def test_rules_without_confidence(rule: str, rows: Rows, expected: Chosen) -> None:
    for given in (rows, rows[::-1]):
        assert choose(rule, given, None) == expected
        assert choose(rule, given, 0.9) == expected


def test_the_best_of_all_thresholds_on_every_small_set_of_rows() -> None:
    kinds = list(product((0.25, 0.5, 0.75), (False, True)))
    for drawn in product(kinds, repeat=4):
        rows = apart(*((prob, int(label)) for prob, label in drawn))
        positives = sum(label for _, label in drawn)
        by_budget, by_f1 = (0, -inf, 0.0), (0.0, -inf)
        for t in {prob for prob, _ in drawn}:
            tp = sum(prob >= t and label for prob, label in drawn)
            fp = sum(prob >= t and not label for prob, label in drawn)
            rate = fp / (4 - positives) if positives < 4 else 0.0
            if rate <= 0.4:
                by_budget = max(by_budget, (tp, t, rate))
            by_f1 = max(by_f1, (2 * tp / (tp + fp + positives), t))
        chosen = choose("fpr_0.4", rows, None)
        expected = by_budget[1:] if by_budget[0] else (inf, 0.0)
        assert (chosen.value, float(chosen.reached)) == expected
        chosen = choose("f1", rows, None)
        assert (float(chosen.reached), chosen.value) == (by_f1 if positives else (0.0, inf))


THREE_POSTS = [
    (0.2, True, "a"),
    (0.8, True, "a"),
    (0.6, True, "b"),
    (0.4, True, "c"),
    (0.9, False, "c"),
    (0.1, False, "d"),
]


@pytest.mark.parametrize(
    ("rule", "rows", "expected"),
    [
        # Losses of a, b, c: at 0.8 1/2 + 1 + 1, at 0.6 1/2 + 0 + 1, at 0.4 1/2, at 0.2 none.
        ("conformal_0.125", THREE_POSTS, plain(0.8, Fraction(1, 4))),  # 3.5/4 <= 7/8
        ("conformal_0.126", THREE_POSTS, plain(0.6, Fraction(1, 2))),  # 2.5/4
        ("conformal_0.5", THREE_POSTS, plain(0.4, Fraction(3, 4))),  # 1.5/4
        ("conformal_.75", THREE_POSTS, plain(0.2, 1)),  # 1/4
        ("conformal_0.76", THREE_POSTS, plain(0.0, 1)),
        ("conformal_0.5", [(0.9, False, "a")], plain(0.0, 0)),
        ("conformal_0.5", [], plain(0.0, 0)),
        # 1/10 <= 1 − 9/10, which is false in floats.
        ("conformal_0.9", falling("+" * 9), plain(at(9), 1)),
        ("conformal_0.9", falling("+" * 8), plain(0.0, 1)),
        ("conformal_0.5", falling("+" * 9), plain(at(5), Fraction(5, 9))),  # (4 + 1)/10
    ],
)
def test_conformal(rule: str, rows: Rows, expected: Chosen) -> None:
    assert choose(rule, rows, None) == expected
    assert choose(rule, rows[::-1], 0.9) == expected


ANGLE = asin(sqrt(0.9))  # t = sin² turns the beta integral at 0.9 into one up to this angle


def test_effective_number() -> None:
    assert effective_number([]) == 0
    assert effective_number(["a", "b", "c"]) == 3
    assert effective_number(["a", "a", "a"]) == 1
    assert effective_number(["a", "b", "a", "c", "a"]) == Fraction(25, 9 + 1 + 1)


@pytest.mark.parametrize(
    ("misses", "n", "units", "target", "expected"),
    [
        (0, 3, 3, "0.5", 1 / 8),
        (1, 3, 3, "0.5", 4 / 8),
        (2, 3, 3, "0.5", 7 / 8),
        (3, 3, 3, "0.5", 1.0),
        (2, 6, 3, "0.5", 4 / 8),  # the same share of as many units
        (1, 6, 3, "0.5", 0.5 - 2 / (3 * pi)),  # half a miss: I of 5/2 and 3/2, by hand
        (1, 4, 2, "0.9", (4 * ANGLE - sin(4 * ANGLE)) / (2 * pi)),  # likewise of 3/2 and 3/2
        (0, 5, Fraction(5, 2), "0.9", 0.9**2.5),
        (5, 5, Fraction(5, 2), "0.9", 1.0),
    ],
)
def test_doubt(misses: int, n: int, units: Fraction, target: str, expected: float) -> None:
    assert doubt(misses, n, Fraction(units), Fraction(target)) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    ("rule", "rows", "confidence", "expected"),
    [
        # Of three, P(Bin(3, 1/2) <= 1) = 1/2 and P(<= 2) = 7/8.
        ("sensitivity_0.5", falling("+++"), 0.5, (at(2), Fraction(2, 3), 3, 1 / 2)),
        ("sensitivity_.5", falling("-++-+-"), 0.5, (at(3), Fraction(2, 3), 3, 1 / 2)),
        ("sensitivity_0.5", falling("+++"), 0.51, (at(3), 1, 3, 7 / 8)),
        ("sensitivity_0.5", falling("+++"), 0.125, (at(1), Fraction(1, 3), 3, 1 / 8)),
        ("sensitivity_0.5", falling("+++"), 0.01, (at(1), Fraction(1, 3), 3, 1 / 8)),  # j < n
        ("sensitivity_0.5", falling("+"), 0.9, (at(1), 1, 1, 1 / 2)),  # the best there is
        ("sensitivity_0.5", falling("--"), 0.9, (0.0, 0, 0, 0.0)),
        ("sensitivity_0.5", [], 0.9, (0.0, 0, 0, 0.0)),
        # One may be missed, but its prob is that of the next.
        ("sensitivity_0.5", apart((0.2, 1), (0.2, 1), (0.3, 1)), 0.5, (0.2, 1, 3, 1 / 2)),
        # 25/11 units, of which no part may be missed.
        (
            "sensitivity_0.9",
            [(0.5, True, post) for post in "aaabc"],
            0.9,
            (0.5, 1, Fraction(25, 11), 1 - 0.9 ** (25 / 11)),
        ),
        # Two of three posts with two positives each: two of six are one of three.
        (
            "sensitivity_0.5",
            [(p / 10, True, "abc"[p % 3]) for p in range(6)],
            0.5,
            (0.2, Fraction(4, 6), 3, 1 / 2),
        ),
    ],
)
def test_sensitivity(
    rule: str, rows: Rows, confidence: float, expected: tuple[float, Fraction, Fraction, float]
) -> None:
    chosen = choose(rule, rows, confidence)
    assert (chosen.value, chosen.reached, chosen.units) == expected[:3]
    assert chosen.confidence == pytest.approx(expected[3], rel=1e-13)
    assert choose(rule, rows[::-1], confidence) == chosen


@pytest.mark.parametrize(("n", "spare"), [(22, 0), (37, 0), (38, 1), (51, 1), (52, 2), (64, 2), (65, 3)])
def test_sensitivity_of_90_percent_at_90_percent_spares_as_wilks_has_it(n: int, spare: int) -> None:
    chosen = choose("sensitivity_0.9", falling("+" * n), 0.9)
    assert (chosen.value, chosen.reached) == (at(n - spare), Fraction(n - spare, n))
    assert chosen.confidence is not None
    assert chosen.confidence >= 0.9


@pytest.mark.parametrize(("n", "enough"), [(459, False), (460, True)])
def test_a_sensitivity_of_995_needs_460_positives(n: int, enough: bool) -> None:
    chosen = choose("sensitivity_0.995", apart(*((i / 1024, 1) for i in range(n))), 0.9)
    assert chosen.value == 0.0
    assert chosen.reached == 1
    assert chosen.units == n
    assert chosen.confidence is not None
    assert chosen.confidence == pytest.approx(1 - 0.995**n, rel=1e-13)
    assert (chosen.confidence >= 0.9) == enough


CARRIED = [*falling("+++++"), (0.5, True, "u"), (0.5, True, "v"), (0.5, False, "w"), (0.5, False, "x")]


@pytest.mark.parametrize(
    ("rule", "rows", "confidence", "expected"),
    [
        # Sizes 2, 3, 5 may spend 1/12 each; doubts 1/4, 1/8, P(Bin(5, 1/2) <= 2) = 1/2: none.
        # At the last, 3 of 5 is still a half.
        ("precision_0.5", falling("+++--"), 0.75, (at(5), Fraction(3, 5), 5, 1 - 3 / 8)),
        ("precision_.7", falling("+++--"), 0.65, (at(4), Fraction(3, 4), 4, 1 - 2 * 0.7**3)),
        # Sizes 2, 3, 5, 8 may spend 1/16; doubts 1/4, 1/8, 1/32, 9/256.
        ("precision_0.5", falling("+++++++-"), 0.75, (at(8), Fraction(7, 8), 8, 0.75)),
        # The fourth is 9 alerts with 2 FP: (1 + 9 + 36)/512 is above 1/16 but not above 2/16.
        ("precision_0.5", CARRIED, 0.75, (0.5, Fraction(7, 9), 9, 0.75)),
        # Sizes 2 … 12 may spend 1/20; 1/32 passes, 3 FP of 8 do not, and so there is nothing
        # to carry to 3 FP of 12: 299/4096 is above 1/20, though not above 2/20.
        ("precision_0.5", falling("+++++---" + "+" * 9), 0.75, (at(5), 1, 5, 0.75)),
        # Sizes 2 … 18 may spend 1/24; the last, with 988/2^18, passes again.
        ("precision_0.5", falling("+++++---" + "+" * 10), 0.75, (at(18), Fraction(15, 18), 18, 0.75)),
        # All sizes are one threshold, which may spend 1/4: 1/256, or 9/256, or 163/256.
        ("precision_0.5", apart(*[(0.5, 1)] * 8), 0.75, (0.5, 1, 8, 0.75)),
        ("precision_0.5", apart(*[(0.5, 1)] * 7, (0.5, 0)), 0.75, (0.5, Fraction(7, 8), 8, 0.75)),
        (
            "precision_0.5",
            apart(*[(0.5, 1)] * 4, *[(0.5, 0)] * 4),
            0.75,
            (0.5, Fraction(1, 2), 8, 1 - 163 / 256),
        ),
        # A post of eight rows is one unit, with 1/2.
        ("precision_0.5", [(0.5, True, "a")] * 8, 0.75, (0.5, 1, 1, 0.5)),
        # Two posts of four rows are two units, with (1/2)^2: just enough.
        ("precision_0.5", [(0.5, True, post) for post in "aaaabbbb"], 0.75, (0.5, 1, 2, 0.75)),
        ("precision_0.5", falling("--------"), 0.75, (inf, 0, 0, 0.0)),
        ("precision_0.5", falling("+"), 0.75, (at(1), 1, 1, 0.0)),  # too few to test
        ("precision_0.5", falling("-"), 0.75, (inf, 0, 0, 0.0)),
        ("precision_0.5", [], 0.75, (inf, 0, 0, 0.0)),
        # 0.9^22 is the first power below 0.1.
        ("precision_0.9", falling("+" * 21), 0.9, (at(21), 1, 21, 0.0)),
        ("precision_0.9", falling("+" * 22), 0.9, (at(22), 1, 22, 0.9)),
        ("precision_0.9", falling("+" * 32), 0.9, (at(22), 1, 22, 0.9)),  # the next size is 33
        # With 33 each may spend 0.05: 0.9^33 = 0.031 does, 0.9^22 = 0.098 does not.
        ("precision_0.9", falling("+" * 33), 0.9, (at(33), 1, 33, 0.9)),
    ],
)
def test_precision(
    rule: str, rows: Rows, confidence: float, expected: tuple[float, Fraction, Fraction, float]
) -> None:
    chosen = choose(rule, rows, confidence)
    assert (chosen.value, chosen.reached, chosen.units) == expected[:3]
    assert chosen.confidence == pytest.approx(expected[3], rel=1e-13)
    assert choose(rule, rows[::-1], confidence) == chosen


@pytest.mark.parametrize(
    ("rule", "confidence", "words"),
    [
        ("tune", 0.9, "rule is 'tune'; expected f1 or one of fpr_X"),
        ("tune_f1", 0.9, "rule is 'tune_f1'; expected"),
        ("fpr_0", 0.9, "rule is 'fpr_0'; expected"),
        ("fpr_1.0", 0.9, "rule is 'fpr_1.0'; expected"),
        ("recall_0.5", 0.9, "rule is 'recall_0.5'; expected"),
        ("sensitivity_0.9", None, "sensitivity_0.9: confidence is None; expected a number"),
        ("precision_0.9", 1.0, "precision_0.9: confidence is 1.0; expected a number"),
        ("precision_0.9", 0.0, "precision_0.9: confidence is 0.0; expected a number"),
    ],
)
def test_bad_rules_are_refused(rule: str, confidence: float | None, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        choose(rule, falling("+-"), confidence)


def test_a_prob_must_be_finite() -> None:
    with pytest.raises(ValueError, match="row 2: prob is nan; it must be finite"):
        choose("f1", apart((0.5, 1), (nan, 0)), None)
