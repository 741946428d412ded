"""Where nothing leaks, nothing is found."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from tests.verify.audit.synthetic import clean_world

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
        1: "yes", 2: "yes", 3: "yes", 4: "cannot be seen here", 5: "yes", 6: "cannot be seen here"
    }  # fmt: skip


def test_the_example(tmp_path: Path) -> None:
    home = Path(assay.__file__).parent / "example"
    report = assay.audit(home / "corpus", home / "predictions")
    assert report.leaks == ()
    bundle = assay.evaluate(home / "predictions", home / "corpus").save(tmp_path / "bundle")
    assert assay.audit(bundle).leaks == ()
    run = assay.evaluate(assay.read_trec(home / "qrels.txt", home / "run.txt"))
    assert assay.audit(run.save(tmp_path / "run")).leaks == ()
