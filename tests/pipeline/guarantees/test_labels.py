"""What labels may change: those of EVAL nothing, those of TRAIN everything that is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

from assay.data.corpus import Corpus
from assay.experiment.state_thresholds import choose
from assay.pipeline.prediction_tables import Answers
from assay.pipeline.protocol.fold_parts import outer_folds
from assay.pipeline.protocol.outer_folds import predict
from assay.pipeline.run_config import Plan
from tests.pipeline.conftest import Tables
from tests.pipeline.guarantees.conftest import every_kind
from tests.pipeline.kinds import Kind

pytestmark = pytest.mark.full

PAIR = ["post_id", "criterion_id", "sent_uid"]
SHUFFLES = 3


def every_pair(tables: Tables) -> pl.DataFrame:
    sentences = tables["sentences"].select("post_id", "sent_uid")
    if "queries" in tables:
        return sentences.join(tables["queries"], on="post_id").select(PAIR)
    return sentences.join(tables["criteria"].select("criterion_id"), how="cross").select(PAIR)


def answers(plan: Plan, tables: Tables) -> Answers:
    return predict(plan, Corpus.of(**tables), choose, processes=1)


@every_kind()
def test_flipped_eval_labels_change_no_byte(kind: Kind, tmp_path: Path) -> None:
    tables = kind.tables(60)
    plan = kind.plan(tmp_path, tables)
    before = answers(plan, tables)
    own = [post for post, fold in outer_folds(Corpus.of(**tables), plan).items() if fold == "0"]
    mine = pl.col("post_id").is_in(own)
    flipped = every_pair(tables).filter(mine).join(tables["gold"], on=PAIR, how="anti")
    gold = pl.concat([tables["gold"].filter(~mine), flipped])
    after = answers(plan, {**tables, "gold": gold})
    for name in ("candidates", "decisions"):
        old, new = (getattr(each, name).filter(mine) for each in (before, after))
        assert old.height > 0
        assert old.write_csv() == new.write_csv()
    # The other folds learn from those posts, so there the change must show.
    assert before.candidates.filter(~mine).write_csv() != after.candidates.filter(~mine).write_csv()


@every_kind()
def test_shuffled_train_labels_teach_nothing(kind: Kind, tmp_path: Path) -> None:
    tables = kind.tables(200)
    plan = kind.plan(tmp_path, tables)
    assert gate_auroc(tables, answers(plan, tables)) > 0.85
    pairs, found, spread = every_pair(tables), [], []
    for seed in range(SHUFFLES):
        drawn = np.random.default_rng(seed).choice(pairs.height, tables["gold"].height, replace=False)
        shuffled = {**tables, "gold": pairs[np.sort(drawn)]}
        found.append(gate_auroc(shuffled, answers(plan, shuffled)))
        spread.append(chance_spread(shuffled))
    # Scored on the shuffled labels of posts that were not learned from. The true labels would not do:
    # a small weight of either sign on a strong feature orders them well or badly, by chance.
    assert abs(np.mean(found) - 0.5) < 2.6 * max(spread), found
    assert max(spread) < 0.06  # so that what was learned would show


def gate_auroc(tables: Tables, made: Answers) -> float:
    assert made.decisions is not None
    positive = tables["gold"].select("post_id", "criterion_id").unique()
    marked = positive.with_columns(pl.lit(True).alias("label"))
    joined = made.decisions.join(marked, on=["post_id", "criterion_id"], how="left")
    return float(roc_auc_score(joined["label"].fill_null(False), joined["prob"]))


def chance_spread(tables: Tables) -> float:
    """Std of an AUROC by chance: √((P + N + 1) / (12·P·N)), of the Mann–Whitney statistic."""
    queries = every_pair(tables).select("post_id", "criterion_id").n_unique()
    positives = tables["gold"].select("post_id", "criterion_id").n_unique()
    negatives = queries - positives
    return float(np.sqrt((queries + 1) / (12 * positives * negatives)))
