"""Stages that are applied to some posts at a time give what they give for all posts at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.data.corpus import Corpus
from assay.experiment.state_thresholds import choose
from assay.pipeline.custom import stage_calls
from assay.pipeline.protocol import fold_explanations, nested_fold
from assay.pipeline.protocol.outer_folds import predict
from tests.pipeline.guarantees.conftest import every_kind
from tests.pipeline.kinds import Kind

pytestmark = pytest.mark.full

IN_PARTS = {"lexical", "matching", "scorer", "neighbours", "post_scorer", "evidence_scorer", "gate"}


@every_kind()
def test_a_few_posts_at_a_time(kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = kind.tables(40)
    applied, explained = stage_calls.applied, fold_explanations._explained
    seen: set[str] = set()

    def both(call: Any, *given: Any) -> Any:
        """Return what a call gives for all posts, after comparing it with a few posts at a time."""
        whole = call(*given)
        with monkeypatch.context() as patched:
            patched.setattr(stage_calls, "PAIRS", 30)
            parts = call(*given)
        assert whole.keys() == parts.keys()
        for name, values in whole.items():
            if values.dtype.kind == "f":
                assert np.allclose(values, parts[name], rtol=2e-6, atol=2e-6, equal_nan=True), name
            else:
                assert values.tolist() == parts[name].tolist(), name
        return whole

    def stage_applied(stage: Any, view: Any) -> Any:
        with monkeypatch.context() as patched:
            patched.setattr(stage_calls, "PAIRS", 30)
            if len(list(stage_calls.parts_for(stage, view))) > 2:
                seen.add(stage.name)
        return both(applied, stage, view)

    monkeypatch.setattr(nested_fold, "applied", stage_applied)
    monkeypatch.setattr(fold_explanations, "_explained", lambda *given: both(explained, *given))
    plan = kind.plan(tmp_path, tables)
    made = predict(plan, Corpus.of(**tables), choose, processes=1, explain=True)
    assert made.explanations is not None
    assert seen == IN_PARTS
