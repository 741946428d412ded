"""The pytest plugin: the fixture `assay_gate` fails a test with the reasons.

pytest loads this module in every session, so that it imports nothing but pytest until it is used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from assay.evaluation.result import Result


class Gate(Protocol):
    """What the fixture returns."""

    def __call__(
        self,
        result: Result | str | Path,
        thresholds: Mapping[str, float | str] | None = None,
        *,
        against: str | Path | None = None,
        allow: Mapping[str, float | str] | None = None,
        undecided: str = "fail",
        publication: bool | None = None,
    ) -> Result:
        """Return the result, or fail the test."""


@pytest.fixture
def assay_gate() -> Gate:
    """Return a function that fails the test if a result or bundle is not good enough.

    `assay_gate(result, {"ndcg@10": 0.4, "ece": "< 0.05"})`: a number is the least value of a measure
    that is better when higher, and the largest of one that is better when lower. A bundle must pass
    the publication gate too, unless `publication=False`. `against="old"` fails if a bundle is worse
    than that one by more than `allow={"ndcg@10": -0.01}`, or if that is undecided, unless
    `undecided="pass"`.
    """
    return check


def check(
    result: Result | str | Path,
    thresholds: Mapping[str, float | str] | None = None,
    *,
    against: str | Path | None = None,
    allow: Mapping[str, float | str] | None = None,
    undecided: str = "fail",
    publication: bool | None = None,
) -> Result:
    """Return the result if it meets all thresholds and its bundle passes both gates."""
    from assay.evaluation.bundle.load import load
    from assay.evaluation.result import Result

    reasons: list[str] = []
    if isinstance(result, Result):
        if publication or against is not None:
            raise ValueError("both gates check a bundle: save the result and pass the folder")
        made = result
    else:
        reasons += [] if publication is False else _not_publishable(result)
        if against is not None:
            reasons += _regressions(result, against, allow, undecided)
        made = load(result)
    for name, threshold in (thresholds or {}).items():
        reasons += _missed(made, name, threshold)
    if reasons:
        head = f"{made.system} under {made.contract.id} does not pass:"
        pytest.fail("\n  ".join([head, *reasons]), pytrace=False)
    return made


def _not_publishable(bundle: str | Path) -> list[str]:
    """Return the checks of the publication gate that failed, with their reasons."""
    from assay.verification.publication_gate import publication_gate
    from assay.verification.publication_verdict import FAIL

    failed = [each for each in publication_gate(bundle).checks if each.verdict == FAIL]
    return [f"publication gate: {each.name}: {each.reason}" for each in failed]


def _regressions(
    new: str | Path, old: str | Path, allow: Mapping[str, float | str] | None, undecided: str
) -> list[str]:
    """Return the measures that are worse than those of an older bundle, or undecided."""
    from assay.verification.regression.regression_gate import regression_gate
    from assay.verification.regression.verdicts import UNDECIDED, WORSE

    found = regression_gate(new, old, allow=allow)
    failing = (WORSE,) if undecided == "pass" else (WORSE, UNDECIDED)
    return [
        f"against {found.old}: {each.name} is {each.verdict}: {each.reason}"
        for each in found
        if each.verdict in failing
    ]


def _missed(result: Result, name: str, threshold: float | str) -> list[str]:
    """Return why a value does not meet its threshold; nothing where it does."""
    from assay.contracts.contract_parts import COMPARE

    value = result[name]
    if not isinstance(threshold, str):
        if value.better == "neither":
            raise ValueError(f"{name} is neither better higher nor lower: write '>= {threshold}' or '<= …'")
        threshold = f"{'>=' if value.better == 'higher' else '<='} {threshold}"
    found = re.fullmatch(r"\s*(>=|<=|<|>)\s*(-?[0-9]+(?:\.[0-9]+)?)\s*", threshold)
    if found is None:
        raise ValueError(f"{name}: {threshold!r} is not a threshold; write a number or '>= 0.4'")
    if value.convention is not None:
        return [f"{name} has no value ({value.convention}), expected {threshold}"]
    if COMPARE[found[1]](value.value, float(found[2])):
        return []
    return [f"{name} is {value.value:.4f}, expected {threshold} ({value.definition})"]
