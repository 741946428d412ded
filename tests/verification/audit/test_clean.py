"""Where nothing leaks, nothing is found."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import assay
from tests.verification.audit.synthetic import QUERY, clean_world, queries_of

CODES = {"L001", "L002", "L003", "L004", "L006", "L007", "L010", "L012", "L017"}


@pytest.mark.parametrize("seed", range(20))
def test_tables_of_a_fair_system(seed: int, tmp_path: Path) -> None:
    cut = ("fixed", "score", "none")[seed % 3]
    digits = (15, 2)[seed % 2]  # with two decimals thresholds and probabilities coincide by chance
    world = clean_world(seed, cut=cut, digits=digits)
    report = world.audit(tmp_path)
    assert report.leaks == ()
    assert {each.code for each in report.findings if each.verdict == "clean"} >= CODES


@pytest.mark.parametrize("seed", range(20))
def test_bundles_of_a_fair_system(seed: int, tmp_path: Path) -> None:
    world = clean_world(seed, digits=(15, 2)[seed % 2])
    report = assay.audit(world.bundle(tmp_path))
    assert report.leaks == ()
    assert report["L018"].verdict == "clean"
    answers = {item.number: item.answer for item in report.checklist}
    assert answers == {
        1: "yes",
        2: "yes",
        3: "yes",
        4: "cannot be seen here",
        5: "yes",
        6: "cannot be seen here",
    }


def test_the_example(tmp_path: Path) -> None:
    home = Path(assay.__file__).parent / "example"
    report = assay.audit(home / "corpus", home / "predictions")
    assert report.leaks == ()
    bundle = assay.evaluate(home / "predictions", home / "corpus").save(tmp_path / "bundle")
    assert assay.audit(bundle).leaks == ()
    run = assay.evaluate(assay.read_trec(home / "qrels.txt", home / "run.txt"))
    assert assay.audit(run.save(tmp_path / "run")).leaks == ()


@pytest.mark.parametrize("group", ["post_id", None])
def test_plain_decisions(group: str | None, tmp_path: Path) -> None:
    """A bundle of labels and probabilities, TUNE and EVAL in one table; nothing else is known."""
    world = clean_world(1)
    rows = world.predictions["decisions"].join(queries_of(world.corpus), on=QUERY)
    role = pl.when(pl.col("fold") == 0).then(pl.lit("TUNE")).otherwise(pl.lit("EVAL"))
    table = rows.with_columns((pl.col("gold") > 0).cast(int).alias("label"), role.alias("role"))
    given = assay.read_decisions(table, group=group)
    report = assay.audit(assay.evaluate(given).save(tmp_path / "bundle"))
    assert report.leaks == ()
    assert report["L018"].verdict == "clean"
    assert report["L007"].verdict == ("clean" if group else "not applicable")
    assert report.checklist[0].answer == ("yes" if group else "cannot be seen here")
