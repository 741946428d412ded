"""A user's stage at run time: checked output, one sentence for whatever it raises, cache by source."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

from tests.pipeline.conftest import Call, toy, write
from tests.pipeline.custom.conftest import Folder

pytestmark = pytest.mark.full

DOCS = Path(__file__).parents[3] / "docs" / "pipeline.md"


def run(call: Call, path: Path, *more: object) -> tuple[int, str]:
    code, _, said = call("run", path, "-o", path.parent / "out", "--no-report", "--processes", 1, *more)
    return code, said


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return {'other': view.column('score')}", "apply returned other; expected mine, as in gives"),
        ("return {}", "apply returned no column; expected mine"),
        ("return None", "apply returned NoneType; expected a dict"),
        ("return {'mine': list(view.column('score'))}", "column 'mine' is list; expected a one-dimensional"),
        ("return {'mine': np.zeros(view.pairs, int)}", "column 'mine' is int64 of shape"),
        ("return {'mine': np.zeros((view.pairs, 2))}", "expected a one-dimensional array of floats"),
        ("return {'mine': np.zeros(3)}", r"has 3 values; expected \d+ \(one per pair\)"),
        ("return {'mine': np.zeros(view.queries)}", r"expected \d+ \(one per pair\)"),
        (
            "return {'mine': np.full(view.pairs, np.nan)}",
            r"has \d+ values that are not finite, the first at 0",
        ),
        ("return {'mine': view.column('score') / 0 * 0}", "apply raised|not finite"),
        ("return {'mine': view.column('bm25')}", "apply raised AssayError: the view has no column 'bm25'"),
        ("return {'mine': np.array(view.texts())}", "AssayError: the view has no texts"),
        ("raise KeyError('lost')", r"apply raised KeyError: 'lost' \(mystage.py line \d+\)"),
        ("values = view.column('score'); values += 1; return {'mine': values}", "read-only"),
        ("assert False", r"apply raised AssertionError \(mystage.py line"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_wrong_result_is_one_sentence(folder: Folder, call: Call, body: str, words: str) -> None:
    code, said = run(call, folder(f"class Mine(Base):\n    def apply(self, view):\n        {body}"))
    assert code == 2
    assert "Traceback" not in said
    last = said.strip().splitlines()[-1]
    assert "stage 'mine' (Mine)" in last, said
    assert re.search(words, last), said


def test_a_failing_fit_in_a_worker(folder: Folder, call: Call) -> None:
    body = "class Mine(Base):\n    learns = Learns.TRAIN\n    def fit(self, labelled):\n        1 / 0"
    path = folder(body)
    code, _, said = call("run", path, "-o", path.parent / "out", "--no-report")
    assert code == 2
    assert "stage 'mine' (Mine): fit raised ZeroDivisionError: division by zero (mystage.py line" in said
    assert "Traceback" not in said


def test_values_that_a_decision_cannot_have(folder: Folder, call: Call) -> None:
    body = "return {'mine': view.column('score'), 'prob': np.full(view.queries, 1.5)}"
    path = folder(
        f"class Mine(Base):\n    gives = ('mine', 'prob')\n    def apply(self, view):\n        {body}"
    )
    code, said = run(call, path)
    assert code == 2
    assert "column 'prob' has the value 1.5, which a prob cannot have" in said


def test_editing_the_source_recomputes_only_the_stage(folder: Folder, call: Call) -> None:
    path = folder("class Mine(Base):\n    pass")
    out = path.parent / "out"

    def scores() -> pl.Series:
        code, said = run(call, path)
        assert code == 0, said
        return pl.read_parquet(out / "predictions" / "candidates.parquet")["score"]

    first, cached = scores(), set((out / "cache").glob("*.result"))
    assert scores().equals(first)
    assert set((out / "cache").glob("*.result")) == cached
    record = json.loads((out / "run.json").read_text())
    assert record["plan"]["stages"][-1] == "mystage:Mine"
    folder("class Mine(Base):\n    def apply(self, view):\n        return {'mine': -view.column('score')}")
    turned = scores()
    assert not turned.equals(first)
    assert len(set((out / "cache").glob("*.result")) - cached) == 3  # one per fold
    again = json.loads((out / "run.json").read_text())
    assert again["custom_stages"] != record["custom_stages"]


def test_the_documented_stage_runs(tmp_path: Path, call: Call) -> None:
    """The module and the configuration of docs/pipeline.md, with two processes."""
    text = DOCS.read_text(encoding="utf-8")
    write(toy(40), tmp_path / "corpus")
    for name, language in (("mystage.py", "python"), ("my.toml", "toml")):
        found = re.findall(rf"```{language}\n(# {name}\n.*?)```", text, re.S)
        (tmp_path / name).write_text(found[-1])
    small = "\n[protocol]\nfolds = 2\ncrossfit = 2\nresamples = 0\n[neighbours]\ntrees = 8\nleast = 5\n"
    (tmp_path / "my.toml").write_text((tmp_path / "my.toml").read_text() + small)
    code, _, said = call("run", tmp_path / "my.toml", "-o", tmp_path / "out", "--no-report")
    assert code == 0, said
    assert "my_reranker" in said
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert list(record["custom_stages"]) == ["my_reranker"]
    baselines = pl.read_csv(tmp_path / "out" / "baselines.csv")
    assert baselines.filter(pl.col("system") == "my")["ndcg@10"][0] > 0.8
    told = pl.read_parquet(tmp_path / "out" / "predictions" / "explanations.parquet")
    assert "BM25" in told.filter(pl.col("stage") == "my_reranker")["feature"]


def test_an_ablation_with_an_own_stage(folder: Folder, call: Call) -> None:
    path = folder(
        more='[[ablation]]\nname = "without"\nstages = ["lexical", "matching"]\n[[ablation]]\nname = "with"\n'
    )
    code, text, said = call("ablate", path, "-o", path.parent / "out", "--processes", 1)
    assert code == 0, said
    assert "with" in text
