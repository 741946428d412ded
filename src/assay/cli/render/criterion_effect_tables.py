"""What `assay ablate --with-and-without` prints: the effect of training on one criterion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.experiment.ablation.criterion_effect import MEASURES, CriterionEffect
from assay.text_table import TextTable


def criterion_effect_table(made: CriterionEffect) -> TextTable:
    """Return one row for all other criteria, and one for each of them."""
    head = tuple(name for measure in MEASURES for name in (f"{measure} without", "with", "difference"))
    rows = tuple(
        (row["criterion"], *(cell for measure in MEASURES for cell in _cells(row, measure)))
        for row in made.effects.iter_rows(named=True)
    )
    title = f"Effect of training on {made.criterion}: difference [95% CI by post], p (Holm)"
    return TextTable(title, ("criterion", *head), rows)


def effect_lines(made: CriterionEffect) -> list[str]:
    """Say what happens to all other criteria, and list rows that lack a measure."""
    whole = made.effects.row(0, named=True)
    lines = [_sentence(whole, name, made.criterion) for name in MEASURES if whole[f"{name} p"] is not None]
    absent = [f"{row['criterion']}: {row['absent']}." for row in made.effects.to_dicts() if row["absent"]]
    return ["\n".join(lines)] + (["Not available\n" + "\n".join(absent)] if absent else [])


def _sentence(row: Mapping[str, Any], name: str, criterion: str) -> str:
    low, high = row[f"{name} low"], row[f"{name} high"]
    verdict = "no effect is shown"
    if low > 0 or high < 0:
        verdict = f"training on {criterion} {'helps' if low > 0 else 'harms'} the other criteria"
    change = f"{row[f'{name} difference']:+.4f} [{low:+.4f}, {high:+.4f}]"
    return f"{name} of the other criteria changes by {change}: {verdict}."


def _cells(row: Mapping[str, Any], name: str) -> tuple[str, str, str]:
    if row[f"{name} difference"] is None:
        return ("–", "–", "–")
    span = f"{row[f'{name} difference']:+.4f} [{row[f'{name} low']:+.4f}, {row[f'{name} high']:+.4f}]"
    test = f"p {row[f'{name} p']:.4f} ({row[f'{name} holm']:.4f})"
    return f"{row[f'{name} without']:.4f}", f"{row[f'{name} with']:.4f}", f"{span}, {test}"
