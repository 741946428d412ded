"""CPU per million rows of each part of an evaluation: `local_costs.py [--repeats N]`.

Parquet and TREC text with lists of 1,000 candidates, all in this process, medians. `make bench-costs`
prints the table of docs/scale.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np

import assay
from adapters.definitions import ASSAY
from assay.data.alignment.align import Lists
from assay.data.alignment.list_lookup import ListLookup
from assay.data.alignment.ranks import rank_rows
from assay.data.runs import Chunk
from run import data_set

QUERIES, CANDIDATES, RESAMPLES = 7_000, 1_000, 1_000
SHORT_LISTS = 200_000
CONTRACT = "trec_eval/10"
MEASURES = ["ndcg@10:gain=linear,gold=all,cut=k,on=predicted"]


def cpu(action: Callable[[], object], repeats: int) -> float:
    """Return the median of the CPU seconds, all threads, after one call to warm up."""
    action()
    taken = []
    for _ in range(repeats):
        begin = time.process_time()
        action()
        taken.append(time.process_time() - begin)
    return median(taken)


def chunks(folder: Path, form: str) -> list[Chunk]:
    judged = assay.read_trec(folder / f"qrels.{form}", folder / f"run.{form}")
    return list(judged.run.chunks())


def one_measure(repeats: int) -> float:
    """Return what one more measure takes per query: 30 measures less one, on lists of two candidates."""
    scores, grades = np.tile([2.0, 1.0], SHORT_LISTS), np.tile([0.0, 1.0], SHORT_LISTS)
    given = assay.Arrays.of(scores, grades, np.full(SHORT_LISTS, 2))

    def evaluated(measures: list[str]) -> Callable[[], object]:
        return lambda: assay.evaluate(given, contract=CONTRACT, measures=measures)

    names = list(ASSAY)
    return (cpu(evaluated(names), repeats) - cpu(evaluated(names[-1:]), repeats)) / (len(names) - 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    folder = data_set(QUERIES, CANDIDATES)
    millions = QUERIES * CANDIDATES / 1e6
    read = chunks(folder, "parquet")
    lists = [Lists(np.arange(len(each.names)), each.starts, each.items, each.scores) for each in read]
    shuffled = np.random.default_rng(0).permutation(read[0].scores)
    starts = read[0].starts
    gold = starts + 17
    own = np.arange(len(starts))
    judged = assay.read_trec(folder / "qrels.parquet", folder / "run.parquet")

    def evaluated(**options: object) -> object:
        return assay.evaluate(judged, contract=CONTRACT, measures=MEASURES, **options)  # type: ignore[arg-type]

    whole = cpu(evaluated, repeats)
    bootstrapped = cpu(lambda: evaluated(bootstrap=assay.Bootstrap(RESAMPLES)), repeats)
    rows = {
        "read Parquet": cpu(lambda: chunks(folder, "parquet"), repeats) / millions,
        "read TREC text": cpu(lambda: chunks(folder, "trec"), repeats) / millions,
        "join by id": cpu(lambda: [ListLookup(each.starts, each.items).repeated() for each in lists], repeats)
        / millions,
        "rank unsorted lists": cpu(lambda: rank_rows(shuffled, starts, gold, own, None), repeats)
        / (len(shuffled) / 1e6),
        "Parquet to one number": whole / millions,
    }
    print("| part | CPU s per million rows |\n|---|---|")
    for name, seconds in rows.items():
        print(f"| {name} | {seconds:.3f} |")
    extra = (bootstrapped - whole) / (QUERIES / 1e6) / (RESAMPLES / 1e3)
    measure = one_measure(repeats) / (SHORT_LISTS / 1e6)
    print(f"\nOne measure: {measure:.2f} CPU s per million queries.")
    print(f"Bootstrap of one mean: {extra:.1f} CPU s per million queries and 1,000 resamples.")


if __name__ == "__main__":
    main()
