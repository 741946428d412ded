"""Read tune.csv and choose the thresholds of the bundle again."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay_oracle.bundle.files import decimal, flag, mapping, number, read_table, sequence, text
from assay_oracle.bundle.findings import Finding
from assay_oracle.core.rows import Query
from assay_oracle.statistics.rules import Chosen, choose

NAME = "tune.csv"
NUMBERS = ("value", "queries", "positives", "units", "reached", "confidence", "posts")
Rows = list[tuple[float, bool, str]]  # prob, label, post


@dataclass(frozen=True, slots=True)
class Threshold:
    """An entry of the file's list with the recomputed threshold, or the `reason` it has none."""

    rule: str
    fold: str | None
    found: Mapping[str, Any]
    rows: Rows
    chosen: Chosen | None
    reason: str

    def findings(self, place: str) -> Iterator[Finding]:
        """Yield one finding per number of the entry."""
        recomputed: dict[str, float | None] = {}
        if self.chosen is not None:
            recomputed = {
                "value": finite(self.chosen.value),
                "queries": len(self.rows),
                "positives": sum(label for _, label, _ in self.rows),
                "units": float(self.chosen.units),
                "reached": float(self.chosen.reached),
                "confidence": self.chosen.confidence,
                "posts": len({post for _, _, post in self.rows}),
            }
        for name in NUMBERS:
            value = number(self.found.get(name), f"{place}/{name}")
            yield Finding(f"{place}/{name}", value, recomputed.get(name), self.reason)


def finite(threshold: float) -> float | None:
    """Return the threshold as the file writes it: null for +inf."""
    return None if math.isinf(threshold) else threshold


def choose_thresholds(folder: Path, master: Mapping[str, Any]) -> list[Threshold]:
    """Choose each entry of `thresholds` by its rule on the TUNE rows of its fold."""
    entries = sequence(master.get("thresholds", []), "thresholds")
    if not entries:
        return []
    by_fold = _read_tune(folder / NAME)
    contract = mapping(master.get("contract"), "contract")
    confidence = number(contract.get("confidence"), "contract/confidence")
    thresholds: list[Threshold] = []
    for position, entry in enumerate(entries):
        place = f"thresholds/{position}"
        found = mapping(entry, place)
        rule = text(found.get("rule"), f"{place}/rule")
        fold = None if found.get("fold") is None else text(found["fold"], f"{place}/fold")
        rows = by_fold.get(fold, [])
        try:
            chosen, reason = choose(rule, rows, confidence), ""
        except ValueError as error:
            chosen, reason = None, str(error)
        thresholds.append(Threshold(rule, fold, found, rows, chosen, reason))
    return thresholds


def _read_tune(path: Path) -> dict[str | None, Rows]:
    """Return the rows of each fold; None is the key of all rows if TUNE has no folds."""
    header, lines = read_table(path, ("post_id", "prob", "label"))
    post, prob, label = (header.index(column) for column in ("post_id", "prob", "label"))
    fold = header.index("fold") if "fold" in header else None
    by_fold: dict[str | None, Rows] = {}
    for row, line in enumerate(lines, start=1):
        by_fold.setdefault(None if fold is None else line[fold], []).append(
            (
                decimal(line[prob], NAME, row, "prob"),
                bool(flag(line[label], NAME, row, "label")),
                line[post] or f"\u001frow {row}",  # a row without a post is its own post
            )
        )
    return by_fold


def chosen_for(
    queries: Sequence[Query], thresholds: Sequence[Threshold], deployment: str | None
) -> dict[str, list[float | None]]:
    """Return, by rule, the recomputed threshold of each query; `tune` is the rule of deployment.

    A query gets the threshold of its fold, or the one without a fold; None if there is neither.
    """
    values = {
        (entry.rule, entry.fold): entry.chosen.value for entry in thresholds if entry.chosen is not None
    }
    rules = {rule: rule for rule, _ in values}
    if deployment in rules:
        rules["tune"] = deployment
    folds = [None if query.fold is None else str(query.fold) for query in queries]
    return {
        name: [values.get((rule, fold), values.get((rule, None))) for fold in folds]
        for name, rule in rules.items()
    }


def with_thresholds(queries: Sequence[Query], chosen: Mapping[str, Sequence[float | None]]) -> list[Query]:
    """Give the queries the recomputed thresholds; rules without one keep that of per_query.csv."""
    replaced: list[Query] = []
    for place, query in enumerate(queries):
        again = {rule: values[place] for rule, values in chosen.items()}
        known = {rule: value for rule, value in again.items() if value is not None}
        replaced.append(replace(query, thresholds={**query.thresholds, **known}))
    return replaced


def deployment_rule(master: Mapping[str, Any], thresholds: Sequence[Threshold]) -> str | None:
    """Return the contract's rule of deployment, else that of the entries marked as deployment."""
    contract = mapping(master.get("contract"), "contract")
    if contract.get("deployment") is not None:
        return text(contract["deployment"], "contract/deployment")
    marked = {entry.rule for entry in thresholds if entry.found.get("deployment") is True}
    return marked.pop() if len(marked) == 1 else None
