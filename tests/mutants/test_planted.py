"""Every planted bug still finds its text: `make mutants` takes long, and would fail late."""

from __future__ import annotations

from pathlib import Path

from .planted import MUTANTS

SOURCE = Path(__file__).parents[2] / "src" / "assay"


def test_the_text_of_every_mutant_is_in_its_file() -> None:
    texts = {name: (SOURCE / name).read_text("utf-8") for name in {each.file for each in MUTANTS}}
    assert [each for each in MUTANTS if each.old not in texts[each.file]] == []
