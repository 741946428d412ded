"""`--memory`: the same numbers within a stated memory, also where the rows of a query are scattered."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import assay

EXAMPLE = assay.example_path("run.txt").parent
BUDGET = 300_000_000
MEASURES = ("-m", "ndcg@10,map@all,mrr", "--json")

MEASURED = """
import resource, subprocess, sys
ended = subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(ended.returncode)
"""
"""A small process in between: a child begins with the largest memory of the process that forks it."""


def write_run(folder: Path, queries: int, items: int) -> None:
    """Write a run with many ties, in order and scattered over the file, in two formats."""
    draw = np.random.default_rng(0)
    rows = queries * items
    run = pl.DataFrame(
        {
            "query_id": [f"q{number}" for number in np.repeat(np.arange(queries), items)],
            "item": [f"doc{number}" for number in np.tile(np.arange(items) * 7919 % 100_003, queries)],
            "score": draw.integers(0, 400, rows) / 8,
        }
    )
    mixed = run[draw.permutation(rows)]
    run.write_parquet(folder / "sorted.parquet")
    mixed.write_parquet(folder / "scattered.parquet")
    text = mixed.select(
        "query_id", pl.lit("Q0"), "item", pl.lit(1).alias("rank"), "score", pl.lit("x").alias("tag")
    )
    text.write_csv(folder / "scattered.txt", include_header=False, separator=" ")
    judged = [
        f"q{query} 0 doc{(query * 31 + at) % items * 7919 % 100_003} {at}\n"
        for query in range(queries)
        for at in range(3)
    ]
    (folder / "qrels.txt").write_text("".join(judged))


def evaluated(folder: Path, run: str, *options: str) -> tuple[str, int]:
    """Evaluate in a new process: what it prints, and its largest memory in bytes."""
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    given = ("evaluate", "--qrels", folder / "qrels.txt", "--run", folder / run, *MEASURES, *options)
    ended = subprocess.run(
        [sys.executable, "-c", MEASURED, sys.executable, "-m", "assay", *map(str, given)],
        capture_output=True,
        env={**os.environ, "TMPDIR": str(scratch)},
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert list(scratch.iterdir()) == [], "temporary files are removed"
    return ended.stdout, int(ended.stderr.split()[-1]) * 1024


@pytest.mark.parametrize("run", ["sorted.parquet", "scattered.parquet", "scattered.txt"])
def test_the_same_numbers(run: str, tmp_path: Path) -> None:
    write_run(tmp_path, 60, 40)
    assert evaluated(tmp_path, run, "--memory", "300MB")[0] == evaluated(tmp_path, run)[0]


@pytest.mark.full
@pytest.mark.parametrize("run", ["scattered.parquet", "scattered.txt"])
def test_a_run_that_takes_more_without_a_budget(run: str, tmp_path: Path) -> None:
    write_run(tmp_path, 3000, 1000)
    plain, without = evaluated(tmp_path, run)
    text, within = evaluated(tmp_path, run, "--memory", "300MB")
    assert text == plain
    assert within <= BUDGET < without


def test_a_bundle_has_the_same_bytes(tmp_path: Path) -> None:
    write_run(tmp_path, 60, 40)
    for name, options in (("plain", ()), ("within", ("--memory", "300MB"))):
        evaluated(
            tmp_path, "scattered.parquet", "-o", str(tmp_path / name), "--no-report", "--ci", "20", *options
        )
    here, there = (
        {
            file.relative_to(tmp_path / name): file.read_bytes()
            for file in sorted((tmp_path / name).rglob("*.csv*"))
        }
        for name in ("plain", "within")
    )
    assert len(here) >= 3
    assert here == there


def test_a_comparison_has_the_same_numbers(tmp_path: Path) -> None:
    write_run(tmp_path, 60, 40)
    made = [
        subprocess.run(
            [
                *(sys.executable, "-m", "assay", "compare", "--qrels", str(tmp_path / "qrels.txt"), "--run"),
                *(str(tmp_path / f"{name}.parquet") for name in ("sorted", "scattered")),
                *("--resamples", "100", "--json", *options),
            ],
            capture_output=True,
            check=True,
        ).stdout
        for options in ((), ("--memory", "300MB"))
    ]
    assert b"differences" in made[0]
    assert made[0] == made[1]


@pytest.mark.full
@pytest.mark.parametrize("run", ["whole.parquet", "scattered.parquet", "whole.txt"])
def test_one_query_with_five_million_candidates(run: str, tmp_path: Path) -> None:
    draw = np.random.default_rng(3)
    items = draw.permutation(5_000_000)
    table = pl.DataFrame({"query_id": "big", "item": items, "score": draw.integers(0, 10**6, len(items)) / 8})
    few = pl.DataFrame({"query_id": ["a"] * 9 + ["z"] * 9, "item": [*range(9)] * 2, "score": [0.5] * 18})
    whole = pl.concat([few[:9], table, few[9:]]).with_columns(pl.format("d{}", "item").alias("item"))
    if run == "whole.txt":
        fields = ("query_id", pl.lit("Q0").alias("Q0"), "item", pl.lit(1).alias("rank"), "score")
        text = whole.select(*fields, pl.lit("x").alias("tag"))
        text.write_csv(tmp_path / run, include_header=False, separator=" ")
    else:
        order = draw.permutation(len(whole)) if run == "scattered.parquet" else slice(None)
        whole[order].write_parquet(tmp_path / run, row_group_size=1 << 18)
    judged = [f"{query} 0 d{item} 1\n" for query in ("a", "big", "z") for item in range(0, 90, 7)]
    (tmp_path / "qrels.txt").write_text("".join(judged))
    plain, _ = evaluated(tmp_path, run)
    text_within, within = evaluated(tmp_path, run, "--memory", "1GB")
    assert text_within == plain
    assert within <= 10**9


@pytest.mark.parametrize(
    ("memory", "words"),
    [
        ("100MB", "an evaluation needs at least 300MB"),
        ("1" + "0" * 400 + "GB", "expected a size such as 1GB or 800MB"),  # was infinite, a fault of assay
        ("lots", "expected a size such as 1GB or 800MB"),
        (True, "expected a size such as 1GB or 800MB"),
    ],
)
def test_budgets_that_cannot_be_kept(memory: str, words: str) -> None:
    with pytest.raises(assay.InputError, match=words):
        assay.evaluate(EXAMPLE / "run.txt", qrels=EXAMPLE / "qrels.txt", memory=memory)


def test_inputs_that_are_not_read_in_parts_refuse_a_budget() -> None:
    with pytest.raises(assay.InputError, match="`memory`: has no effect on this kind of input"):
        assay.evaluate(EXAMPLE / "predictions", EXAMPLE / "corpus", memory="1GB")
    with pytest.raises(assay.InputError, match="`memory`: has no effect on this kind of input"):
        assay.evaluate(labels=[1, 0], probs=[0.5, 0.2], memory="1GB")
    with pytest.raises(assay.InputError, match="`memory`: has no effect on this kind of input"):
        assay.compare(*[EXAMPLE / "predictions"] * 2, corpus=EXAMPLE / "corpus", memory="1GB")
