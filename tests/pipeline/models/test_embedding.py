"""Static embeddings from the installed files of wordllama, and only from the known ones."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from assay.data.corpus import Corpus
from assay.errors import AssayError, InputError
from assay.experiment.state_thresholds import choose
from assay.pipeline.models import static_embeddings
from assay.pipeline.protocol.outer_folds import predict
from assay.pipeline.run_config import Plan, Protocol
from tests.pipeline.conftest import FAST, toy

needs_wordllama = pytest.mark.skipif(
    find_spec("wordllama") is None, reason="the extra pipeline is not installed"
)


@needs_wordllama
def test_vectors_have_length_one_and_mean_something() -> None:
    made = static_embeddings.embed(
        ["I cannot sleep at night", "insomnia keeps me awake", "the car is red", ""]
    )
    assert np.allclose(np.linalg.norm(made[:3], axis=1), 1)
    assert not made[3].any()
    near, far = made[0] @ made[1], made[0] @ made[2]
    assert near > far + 0.1


@needs_wordllama
def test_other_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_embeddings, "FILES", dict.fromkeys(static_embeddings.FILES, "0" * 64))
    with pytest.raises(InputError, match=r"reinstall wordllama 0\.4"):
        static_embeddings.embed(["a"])


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_embeddings, "find_spec", lambda _: None)
    with pytest.raises(AssayError, match=r"pip install '\S+\[pipeline\]'"):
        static_embeddings.embed(["a"])


@needs_wordllama
def test_a_pipeline_with_embeddings() -> None:
    stages = (
        "lexical",
        "matching",
        "scorer",
        "embedding",
        "neighbours",
        "node_calibration",
        "post_scorer",
        "evidence_scorer",
        "gate",
        "calibration",
        "dynamic_k",
        "states",
    )
    tables = {**FAST, "neighbours": {**FAST["neighbours"], "dense": True}}
    plan = Plan(Path("toy"), stages=stages, tables=tables, protocol=Protocol(folds=2, crossfit=2))
    made = predict(plan, Corpus.of(**toy(40)), choose, processes=1)
    assert made.decisions is not None
    assert made.decisions.height == 80
