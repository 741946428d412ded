"""Every measure equals an outside implementation, or a reference, on values people really have."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from assay.metrics.core.registry import FAMILIES

from ...command import exit_code
from .. import recorded
from ..tasks import recorded_tasks
from .case import PROBABILITIES, SCORES, draw
from .comparisons import NOT_COMPARED, Compared, compared, definitions

SEEDS = range(24)


@pytest.fixture(scope="module")
def rows() -> list[Compared]:
    return list(compared(SEEDS))


def test_no_value_is_further_apart_than_a_billionth(rows: list[Compared]) -> None:
    apart = {(row.definition, row.peer): (row.ours, row.theirs) for row in rows if not row.apart <= 1e-9}
    assert apart == {}


def test_no_measure_is_left_out_unless_the_page_says_so(rows: list[Compared]) -> None:
    alone = (
        set(FAMILIES)
        - {row.family for row in rows}
        - set(recorded.RECORDED_ONLY)
        - set(recorded_tasks.RECORDED_ONLY)
    )
    page = (Path(__file__).parents[3] / "docs" / "comparisons.md").read_text(encoding="utf-8")
    said = page.partition(NOT_COMPARED)[2].partition("\n")[0]
    assert set(re.findall(r"`(\w+)`", said)) == alone


def test_no_definition_is_left_out(rows: list[Compared]) -> None:
    assert set(definitions()) <= {row.definition for row in rows}


def test_every_kind_of_value_is_drawn() -> None:
    kinds = Counter(part for seed in SEEDS for part in draw(seed).kind.split("; "))
    assert set(kinds) == {
        *(f"probabilities: {kind}" for kind in PROBABILITIES),
        *(f"scores: {kind}" for kind in SCORES),
    }


def test_values_differ_between_cases(rows: list[Compared]) -> None:
    """A measure that is constant on every case would be compared with nothing."""
    seen: dict[str, set[float]] = {}
    for row in rows:
        seen.setdefault(row.family, set()).add(round(row.ours, 9))
    assert {family for family, found in seen.items() if len(found) < 3} == set()


@pytest.mark.parametrize(
    ("table", "measure", "expected"),
    [
        ([(1, "0.1"), (0, "0.15")], "ece", 0.525),  # as MAPIE has it
        ([(1, "0.3"), (0, "0.35")], "ece", 0.525),
        ([(0, "0.7"), (0, "0.3")], "aurc", 0.5),
        ([(1, "0.7"), (1, "0.3")], "aurc", 0.5),
        ([(0, "0.7"), (0, "0.3")], "eaurc", 0.25),
    ],
)
def test_a_table_of_decimals_through_the_command_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    table: list[tuple[int, str]],
    measure: str,
    expected: float,
) -> None:
    path = tmp_path / "gate.csv"
    with path.open("w", newline="") as handle:
        csv.writer(handle).writerows([("label", "prob"), *table])
    options = ("--prob", "prob", "--label", "label", "-m", measure)
    assert exit_code(monkeypatch, "evaluate", "--decisions", path, *options) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith(measure))
    assert line.split()[2] == f"{expected:.4f}"
