"""Measure which leaks the audit finds at which strength, and how often it raises a false alarm.

Plants every leak of `audit_leaks` at three strengths and audits clean folders of many kinds; if
`--data` names real corpora, also honest systems on them. `--write` puts the table into the docs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import assay
from audit_leaks import answers, orders, real, systems, texts, worlds
from audit_leaks.registry import PLANTS

PAGE = Path(__file__).parents[1] / "docs" / "audit.md"
BEGIN, END = "<!-- begin: make bench-audit -->", "<!-- end: make bench-audit -->"
MODULES = (texts, answers, orders)  # importing them registers their plants
GROUPS = ("texts", "probabilities", "lists", "orders", "thresholds", "decisions")
TEXT_CODES = frozenset({"L002", "L003", "L004", "L019", "L020"})
"""Checks for copied posts and repeated questions, which are real in real corpora."""


@dataclass
class Row:
    """A leak with the verdicts at each strength."""

    group: str
    title: str
    cells: dict[str, list[str]] = field(default_factory=dict)  # verdicts by strength, one per seed
    codes: Counter[str] = field(default_factory=Counter)


def verdict(report: assay.AuditReport, row: Row) -> str:
    for name, findings in (("found", report.leaks), ("flagged", report.flags)):
        if findings:
            row.codes.update(each.code for each in findings)
            return name
    return "not seen"


def planted(seeds: int, said: Callable[[str], None]) -> Iterator[Row]:
    bases = [worlds.drawn(worlds.Kind(seed=1000 + seed)) for seed in range(seeds)]
    for each in sorted(PLANTS, key=lambda plant: GROUPS.index(plant.group)):
        row = Row(each.group, each.title)
        for name, value in each.strengths.items():
            for seed, base in enumerate(bases):
                world = base.copy()
                each.change(world, value, np.random.default_rng(seed))
                row.cells.setdefault(name, []).append(verdict(world.audit(), row))
        said(f"{row.title}: {'; '.join(cells_of(row))}")
        yield row


def cheating(seeds: int, said: Callable[[str], None]) -> Iterator[Row]:
    for cheat in systems.CHEATS:
        row = Row("systems", f"system that {cheat.title}")
        for name, share in systems.SHARES.items():
            for seed in range(seeds):
                report = systems.audited(cheat, share, seed)
                row.cells.setdefault(name, []).append(verdict(report, row))
        said(f"{row.title}: {'; '.join(cells_of(row))}")
        yield row


def cells_of(row: Row) -> list[str]:
    """Return `1 word: found`, or `1 word: found 2 of 3, flagged 1` if seeds differ."""
    made = []
    for name, seen in row.cells.items():
        counts = Counter(seen)
        if len(counts) == 1:
            text = seen[0]
        else:
            order = [each for each in ("found", "flagged", "not seen") if each in counts]
            text = ", ".join(f"{each} {counts[each]} of {len(seen)}" for each in order)
        made.append(f"{name}: {text}")
    return made


def clean_alarms(number: int, said: Callable[[str], None]) -> tuple[int, int]:
    """Count clean folders with a leak found or something flagged; every tenth also as a bundle."""
    leaks = flags = 0
    for at in range(number):
        world = worlds.clean(at)
        reports = [world.audit()]
        if at % 10 == 0:
            with tempfile.TemporaryDirectory() as folder:
                corpus, predictions = world.write(Path(folder))
                bundle = assay.evaluate(predictions, corpus).save(Path(folder) / "bundle")
                reports.append(assay.audit(bundle))
        for report in reports:
            for each in (*report.leaks, *report.flags):
                said(f"clean folder {at}: {each.code} {each.verdict}: {each.seen.why}")
        leaks += any(report.leaks for report in reports)
        flags += any(report.flags for report in reports)
    for seed in range(max(1, number // 40)):
        report = systems.audited(None, 0.0, 100 + seed)
        for each in (*report.leaks, *report.flags):
            said(f"honest system {seed}: {each.code} {each.verdict}: {each.seen.why}")
        leaks += bool(report.leaks)
        flags += bool(report.flags)
    return leaks, flags


def real_alarms(data: Path, said: Callable[[str], None]) -> tuple[int, int]:
    """Count folders of real corpora, and those with an alarm that copied text does not explain."""
    number = alarms = 0
    for name, world in real.folders(data):
        report = world.audit()
        number += 1
        seen = [each for each in (*report.leaks, *report.flags) if each.code not in TEXT_CODES]
        alarms += bool(seen)
        said(f"{name}: {', '.join(each.code for each in (*report.leaks, *report.flags)) or '-'}")
    return number, alarms


def worst(seen: list[str]) -> str:
    return min(seen, key=("not seen", "flagged", "found").index)


def summary(rows: list[Row]) -> list[str]:
    """Return which leaks are found, which only if undisguised, which flagged, and which not."""
    classes: dict[str, list[str]] = {
        "found at every strength": [],
        "found, unless well disguised": [],
        "only flagged": [],
        "not found reliably from outside, or not at all": [],
    }
    for row in rows:
        made = [worst(seen) for seen in row.cells.values()]
        if set(made) == {"found"}:
            name = "found at every strength"
        elif "found" in made:
            name = "found, unless well disguised"
        else:
            name = "only flagged" if "flagged" in made else "not found reliably from outside, or not at all"
        classes[name].append(row.title)
    lines = ["| from outside | leaks |", "|---|---|"]
    return lines + [f"| {name} | {'; '.join(titles)} |" for name, titles in classes.items()]


def page(rows: list[Row], seeds: int, clean: str) -> str:
    """Return the table as Markdown, with a summary."""
    counts = Counter(worst(seen) for row in rows for seen in row.cells.values())
    lines = [
        f"{len(rows)} leaks at three strengths, {seeds} draws each: {counts['found']} of "
        f"{3 * len(rows)} are found in every draw, {counts['flagged']} found or flagged in every "
        f"draw, {counts['not seen']} missed in at least one. {clean}",
        "",
        *summary(rows),
        "",
        "| leak | plain | disguised | well disguised | by |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        by = ", ".join(code for code, _ in row.codes.most_common(3)) or "–"
        lines.append(f"| {row.title} | {' | '.join(cells_of(row))} | {by} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="draws per leak and strength")
    parser.add_argument("--clean", type=int, default=200, help="clean folders")
    parser.add_argument("--data", type=Path, help="folder with hoc, psytar, contractnli, squad2")
    parser.add_argument("--write", action="store_true", help="put the table into docs/audit.md")
    options = parser.parse_args()

    def said(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    leaks, flags = clean_alarms(options.clean, said)
    honest = max(1, options.clean // 40)
    clean = (
        f"{options.clean} clean folders and {honest} honest systems: {leaks} with a leak found, "
        f"{flags} with something flagged."
    )
    if options.data is not None:
        number, alarms = real_alarms(options.data, said)
        clean += (
            f" {number} folders of honest systems on real corpora: {alarms} with an alarm that no "
            "copied text explains."
        )
    rows = [*planted(options.seeds, said), *cheating(options.seeds, said)]
    table = page(rows, options.seeds, clean)
    print(table)
    if options.write:
        text = PAGE.read_text(encoding="utf-8")
        before, rest = text.split(BEGIN)
        _, after = rest.split(END)
        PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}", encoding="utf-8")
    sys.exit(int(leaks > 0 or flags > 0))


if __name__ == "__main__":
    main()
