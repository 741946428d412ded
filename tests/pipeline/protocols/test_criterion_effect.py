"""Criteria excluded from training: in a list of configurations, and one with and without."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import assay
from assay.experiment.ablation.ablate import ablate
from assay.experiment.ablation.configurations import configurations
from assay.pipeline.run_config import read_plan
from tests.pipeline.conftest import Call, Tables, toy, write
from tests.pipeline.test_run import LINES, PROTOCOL, configured

pytestmark = pytest.mark.full


def three() -> Tables:
    """The toy corpus with a third criterion, whose evidence has the word garden."""
    tables = toy(45)
    extra = pl.DataFrame({"criterion_id": ["c3"], "text": ["a garden"]})
    marked = tables["sentences"].filter(pl.col("text").str.contains("garden"))
    gold = marked.select("post_id", pl.lit("c3").alias("criterion_id"), "sent_uid")
    return {
        **tables,
        "criteria": pl.concat([tables["criteria"], extra]),
        "gold": pl.concat([tables["gold"], gold]),
    }


def three_folder(folder: Path, exclude: str = "") -> Path:
    write(three(), folder / "corpus")
    path = folder / "toy.toml"
    path.write_text(f'corpus = "corpus"\n{PROTOCOL}{exclude}\n{LINES}\n')
    return path


def only(criteria: list[str], folder: Path) -> assay.Result:
    """The result on some criteria, as if nobody had asked for the others."""
    kept = pl.col("criterion_id").is_in(criteria)
    corpus = {**three(), **{name: three()[name].filter(kept) for name in ("criteria", "gold")}}
    candidates = pl.read_parquet(folder / "candidates.parquet").filter(kept)
    decisions = pl.read_csv(folder / "decisions.csv").filter(kept)
    return assay.evaluate({"candidates": candidates, "decisions": decisions}, corpus)


def test_a_configuration_may_change_what_is_excluded(tmp_path: Path) -> None:
    path = three_folder(tmp_path, 'exclude = ["c3"]')
    own = '\n[[ablation]]\nname = "without"\n[[ablation]]\nname = "with"\nexclude = []\n'
    path.write_text(path.read_text() + own)
    rows = configurations(read_plan(path))
    assert [row.plan.protocol.exclude for row in rows if row.plan] == [("c3",), ()]
    made = ablate(read_plan(path), tmp_path / "cache")
    assert made.stages["auroc"][0] != made.stages["auroc"][1]


@pytest.mark.parametrize(
    ("value", "words"),
    [('"c2"', "exclude is 'c2'; expected a list of criteria"), ('["c9"]', "exclude names criterion 'c9'")],
)
def test_wrong_exclusions(tmp_path: Path, call: Call, value: str, words: str) -> None:
    path = configured(tmp_path)
    path.write_text(path.read_text() + f'\n[[ablation]]\nname = "a"\nexclude = {value}\n')
    code, _, said = call("ablate", path, "-o", tmp_path / "out")
    assert code == 2
    assert words in said


def test_the_effect_on_the_other_criteria(tmp_path: Path, call: Call) -> None:
    path = three_folder(tmp_path, 'exclude = ["c3"]')
    out = tmp_path / "out"
    code, text, said = call("ablate", path, "-o", out, "--with-and-without", "c3")
    assert code == 0, said
    assert "Effect of training on c3" in text
    assert "auroc of the other criteria changes by" in text
    table = pl.read_csv(out / "criterion_effect.csv")
    assert table["criterion"].to_list() == ["all others", "c1", "c2"]
    plan = read_plan(path)
    for column, exclude in (("without", ("c3",)), ("with", ())):
        assay.run(plan.changed(exclude=exclude), tmp_path / column)
        for at, kept in enumerate((["c1", "c2"], ["c1"], ["c2"])):
            result = only(kept, tmp_path / column / "predictions")
            for name in ("ndcg@10", "auroc"):
                assert table[f"{name} {column}"][at] == pytest.approx(result[name].value, abs=1e-12)
    for row in table.iter_rows(named=True):
        for name in ("ndcg@10", "auroc"):
            change = row[f"{name} with"] - row[f"{name} without"]
            assert row[f"{name} difference"] == pytest.approx(change, abs=1e-12)
            assert row[f"{name} low"] <= row[f"{name} difference"] <= row[f"{name} high"]
            assert 0 < row[f"{name} p"] <= row[f"{name} holm"] <= 1
    before = (out / "criterion_effect.json").read_bytes()
    assert call("ablate", path, "-o", out, "--with-and-without", "c3", "--processes", 1)[0] == 0
    assert (out / "criterion_effect.json").read_bytes() == before


@pytest.mark.parametrize(
    ("protocol", "words"),
    [("", "has no criterion 'c9'; expected one of c1, c2"), ("resamples", "resamples is 0")],
)
def test_wrong_questions(tmp_path: Path, call: Call, protocol: str, words: str) -> None:
    path = configured(tmp_path)
    if protocol:
        path.write_text(path.read_text().replace("resamples = 50", "resamples = 0"))
    code, _, said = call("ablate", path, "-o", tmp_path / "out", "--with-and-without", "c9")
    assert code == 2
    assert words in said
    assert not (tmp_path / "out").exists()
