"""SIGKILL at random moments of a save: the folder is the old bundle or the new one."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import assay
from assay.contracts.contract_toml import parse
from assay.evaluation.bundle.bundle_files import check_hashes
from tests.kills import writing

from .conftest import PLAN, tables
from .test_save import contents

pytestmark = pytest.mark.full

FEW = parse('id = "few"\nk = [3]\n[measures]\nr = "recall@3"\nf = "f1:at=tune_f1"\n', "few.toml")
"""Every file of a bundle is there, but a save is short: most kills come in the midst of one."""


def writer(folder: str) -> Callable[[], object]:
    corpus, answered = tables(2, 12)
    result = assay.evaluate(answered, corpus, contract=FEW, by="default")
    return partial(result.save, folder, overwrite=True)


@pytest.mark.parametrize("kills", [10, pytest.param(50, marks=pytest.mark.full)])
def test_kills(kills: int, tmp_path: Path) -> None:
    corpus, answered = tables(1)
    target = tmp_path / "bundle"
    first = assay.evaluate(answered, corpus, contract=FEW, bootstrap=PLAN)
    first.save(target)
    old = contents(target)
    new: dict[str, bytes] | None = None
    generator = random.Random(5)
    seen = set()
    with writing("tests.bundle.test_kill", target) as kill:
        for number in range(kills):
            kill(number % 2, generator.uniform(0, 0.15))
            assert check_hashes(target) == []
            now = contents(target)
            if now != old:
                new = new or now
                assert now == new
            seen.add(now == old)
            if now != old:
                first.save(target, overwrite=True)  # so that every kill has an old one to lose
    assert seen == {True, False}  # some kills came before the first exchange, some after
    assay.load(target)
    corpus, answered = tables(1)
    assay.evaluate(answered, corpus).save(target, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]  # leftovers were cleared away
