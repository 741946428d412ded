"""Correct reports by seed, and a script that lints them: python -m tests.verification.lint.generated.

The numbers come from scikit-learn, pytrec_eval and the standard library, never from assay. Many
reports come with variants that have one planted fault, so that a lint that finds nothing fails too.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import assay
from tests.verification.lint.generate import classifiers, folds, papers, rankings, reports
from tests.verification.lint.generate.render import Generated

FAMILIES: tuple[Callable[[random.Random], Generated], ...] = (
    rankings.one_set,
    rankings.several_sets,
    rankings.by_k,
    rankings.in_caption,
    rankings.trec_output,
    rankings.as_object,
    rankings.several_sets,
    classifiers.binary,
    classifiers.several_classes,
    classifiers.splits_and_sets,
    classifiers.learning_curve,
    classifiers.binary,
    reports.text_report,
    reports.json_report,
    reports.frame_report,
    reports.by_model,
    folds.fold_columns,
    folds.fold_rows,
    folds.plus_minus,
    folds.fold_json,
    folds.data_sections,
    *papers.FAMILIES,
)


@cache
def generated(seed: int) -> Generated:
    """The report of a seed; families take turns."""
    return FAMILIES[seed % len(FAMILIES)](random.Random(seed))


def linted(report: Generated, text: str, folder: Path) -> assay.LintReport:
    """The report of lint on a text of this report's kind."""
    path = folder / report.name
    path.write_text(text, encoding="utf-8")
    return assay.lint(path, **report.options)


def main(arguments: Sequence[str] | None = None) -> int:
    """Lint the reports of many seeds; exit with 1 on a false alarm or a missed fault."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--reports", type=int, default=1000, help="number of reports")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    read: Counter[str] = Counter()
    alarms, missed, faults = [], [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for seed in range(options.first, options.first + options.reports):
            report = generated(seed)
            found = linted(report, report.text, folder)
            counts[report.family] += 1
            read[report.family] += found.figures
            alarms += [(seed, each) for each in found.impossible]
            for code, text in report.planted:
                faults += 1
                if code not in linted(report, text, folder).codes:
                    missed.append((seed, code))
    for family, number in counts.items():
        sys.stdout.write(f"{family:18}{number:6} reports{read[family]:8} values\n")
    for seed, each in alarms:
        sys.stdout.write(f"false alarm: seed {seed}, {each.code} {each.place}: {each.numbers}\n")
    for seed, code in missed:
        sys.stdout.write(f"missed: seed {seed}, {code}\n")
    sys.stdout.write(
        f"{options.reports} correct reports: {len(alarms)} impossible findings; "
        f"{faults} planted faults: {len(missed)} missed\n"
    )
    return 1 if alarms or missed else 0


if __name__ == "__main__":
    sys.exit(main())
