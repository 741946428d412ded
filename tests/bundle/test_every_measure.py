"""A bundle of every measure is verified, whatever the queries lack, in seconds."""

from __future__ import annotations

from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.metrics.core.registry import FAMILIES
from assay.statistics.harmonic import squared_sum

QRELS = {
    "found": {"a": 1, "b": 0},
    "missed": {"c": 1, "d": 0},
    "unanswered": {"e": 1, "f": 1},
    "no gold": {"g": 0, "h": 0},
    "neither": {"i": 0},
}
RUN = {"found": {"b": 0.9, "a": 0.8}, "missed": {"x": 0.7, "d": 0.6}, "no gold": {"g": 0.4, "h": 0.3}}
CUTS = {"required": "2", "point": "0.1", "interior": "0.1"}
DEPTHS = ("endless", "1000")
FAR = ("1000000000000000", "1000000")


def spelled(cut: str | None, population: str) -> list[str]:
    """Return a definition of every family that rankings and gold are enough for."""
    at = {name: CUTS.get(family.cut) if cut is None else cut for name, family in FAMILIES.items()}
    return [
        f"{name}@{at[name]}:on={population}" if at[name] else f"{name}:on={population}"
        for name, family in FAMILIES.items()
        if not family.sample().needs and (cut is None or family.cut in ("required", "optional"))
    ]


@pytest.mark.parametrize("population", ["all", "evidence", "no_evidence", "predicted"])
def test_queries_without_gold_or_answer(population: str, tmp_path: Path) -> None:
    """A value by convention is counted in both implementations, in geometric means too."""
    result = assay.evaluate(RUN, qrels=QRELS, measures=spelled(None, population))
    assert len(result) > 30
    result.save(tmp_path / "bundle")
    assert not assay.verify(tmp_path / "bundle", draws=2).failed


def test_decisions_and_confidence(tmp_path: Path) -> None:
    """Also measures that need more than ranks, such as the scores of each list (`nauc`)."""
    example = Path(str(files("assay") / "example"))
    names = [
        f"{name}@{CUTS[family.cut]}:on={family.on}" if family.cut in CUTS else f"{name}:on={family.on}"
        for name, family in FAMILIES.items()
    ]
    result = assay.evaluate(example / "predictions", example / "corpus", measures=names)
    assert {"nauc", "pair_auroc", "ece"} <= {
        value.name.partition("@")[0].partition(":")[0] for value in result.measures
    }
    result.save(tmp_path / "bundle")
    assert not assay.verify(tmp_path / "bundle", draws=2).failed


@pytest.mark.parametrize("cut", FAR)
def test_a_cut_off_far_beyond_every_list(cut: str, tmp_path: Path) -> None:
    """Both implementations need time for the list, and none for the ranks beyond it."""
    names = [name for name in spelled(cut, "evidence") if cut == "1000000" or not name.startswith("sdcg")]
    assert any(name.startswith("nerr9@") for name in names)
    assay.evaluate(RUN, qrels=QRELS, measures=names).save(tmp_path / "bundle")
    assert not assay.verify(tmp_path / "bundle", draws=2).failed


def test_a_recall_level_is_the_number_that_is_used() -> None:
    """A float cannot hold these digits: the id would name another level than the value has."""
    many = "iprec@0.5000000000000000000000000000000000000000000001:on=evidence"
    with pytest.raises(assay.MeasureError, match="at most 15 digits"):
        assay.evaluate(RUN, qrels=QRELS, measures=many)
    assert len(assay.evaluate(RUN, qrels=QRELS, measures="iprec@0.333333333333333:on=evidence")) == 1


def test_harmonic_tails_of_the_second_implementation() -> None:
    """The closed form agrees with the sum that it stands for."""
    from assay_oracle.graded.user_models import _reciprocals

    for near, end in ((300, 300), (300, 301), (307, 5000)):
        assert _reciprocals(near, end) == pytest.approx(
            sum(1 / i for i in range(near + 1, end + 1)), rel=1e-13
        )


@pytest.mark.parametrize("target", ["0.000001", "1000000000", "1000000000000000"])
def test_targets_of_any_size(target: str, tmp_path: Path) -> None:
    """Between ranks, a searcher with a huge target weighs as 1: the sums lost seven digits of it."""
    names = [f"{name}:target={target},depth={depth}" for name in ("insq", "nerr11") for depth in DEPTHS]
    assay.evaluate(RUN, qrels=QRELS, measures=names).save(tmp_path / "bundle")
    assert not assay.verify(tmp_path / "bundle", draws=2).failed


def test_sums_of_squares_keep_their_digits() -> None:
    for first, last in ((1, 1), (3, 40), (2 * 10**9, 2 * 10**9 + 3), (10**12, 10**12 + 50)):
        exact = sum(Fraction(1, i * i) for i in range(first, last + 1))
        found = squared_sum(np.array([float(first)]), np.array([float(last)]))
        assert found[0] == pytest.approx(float(exact), rel=1e-14)
    endless = squared_sum(np.array([1.0, 2.0]), np.array([np.inf, np.inf]))
    assert endless == pytest.approx([np.pi**2 / 6, np.pi**2 / 6 - 1], rel=1e-14)
