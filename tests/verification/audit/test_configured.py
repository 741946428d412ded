"""`assay audit CONFIG`: a pipeline that is asked again with other gold."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from assay.data.corpus import Corpus
from assay.pipeline.prediction_tables import Answers
from assay.pipeline.protocol import outer_folds as pipeline_run
from assay.verification.audit.system import audit_config
from tests.pipeline.conftest import toy

pytestmark = pytest.mark.full

Call = Callable[..., tuple[int, str]]
PLAN = """
corpus = "corpus"
[protocol]
folds = 2
crossfit = 2
[neighbours]
trees = 8
least = 5
[gate]
trees = 8
least = 5
[scorer]
iterations = 20
[matching]
trees = 8
gate_trees = 8
folds = 2
"""


SMALL = """
corpus = "corpus"
stages = ["lexical"]
[protocol]
folds = 2
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """Every fifth judgement names another sentence of its post: no ranking can be perfect."""
    (tmp_path / "corpus").mkdir()
    tables = toy(90)
    wrong = pl.int_range(pl.len()) % 5 == 0
    moved = pl.format("{}_{}", "post_id", (pl.col("sent_uid").str.slice(-1).cast(int) + 1) % 4)
    uid = pl.when(wrong).then(moved).otherwise("sent_uid")
    tables["gold"] = tables["gold"].with_columns(sent_uid=uid)
    for name, table in tables.items():
        table.write_csv(tmp_path / "corpus" / f"{name}.csv")
    path = tmp_path / "mine.toml"
    path.write_text(PLAN)
    return path


def verdicts(text: str) -> dict[str, str]:
    return {each["code"]: each["verdict"] for each in json.loads(text)["findings"]}


def test_our_pipeline_is_clean(plan: Path, call_cli: Call) -> None:
    code, text = call_cli("audit", str(plan), "--shuffles", "2", "--json")
    found = verdicts(text)
    assert {found[each] for each in ("L101", "L102", "L103")} == {"clean"}
    assert code == 0, found
    document = json.loads(text)
    assert (document["kind"], document["name"]) == ("configuration", "mine.toml")


@pytest.mark.parametrize("protocol", ["folds = 2", 'kind = "split"'])
def test_a_pipeline_that_looks_at_eval_gold_is_found(
    plan: Path, call_cli: Call, monkeypatch: pytest.MonkeyPatch, protocol: str
) -> None:
    honest = pipeline_run.predict_fold

    def leaking(made: object, corpus: Corpus, choose: object, fold: str) -> Answers:
        """Evidence sentences of EVAL get a little more than they earned."""
        answers = honest(made, corpus, choose, fold)  # type: ignore[arg-type]
        keys = ["post_id", "criterion_id", "sent_uid"]
        gold = corpus.gold.frame.select(keys).with_columns(more=pl.lit(0.5))
        more = answers.candidates.join(gold, on=keys, how="left", maintain_order="left")
        score = pl.col("score") + pl.col("more").fill_null(0.0)
        scored = more.with_columns(score=score).drop("more")
        return Answers(scored, answers.decisions, answers.tune)

    plan.write_text(SMALL.replace("folds = 2", protocol))
    monkeypatch.setattr(audit_config, "predict_fold", leaking)
    code, text = call_cli("audit", str(plan), "--shuffles", "2", "--json")
    assert code == 1
    assert verdicts(text)["L102"] == "found"


def test_predictions_beside_a_configuration_are_refused(plan: Path, call_cli: Call) -> None:
    code, _ = call_cli("audit", str(plan), "--predictions", str(plan.parent))
    assert code == 2
