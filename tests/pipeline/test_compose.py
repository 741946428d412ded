"""Pipelines that cannot work are refused before anything runs, with stages and columns named."""

from __future__ import annotations

from typing import Any

import pytest

from assay.errors import CompositionError, InputError
from assay.experiment.state_thresholds import choose
from assay.pipeline.regressions.own_models import ScorerSettings
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.stage_registry import DEFAULT, STAGES, build
from assay.pipeline.stages.dynamic_k import DynamicK
from assay.pipeline.stages.evidence_scorer import EvidenceScorer
from assay.pipeline.stages.matching import Matching
from assay.pipeline.stages.neighbours import Neighbours
from assay.pipeline.stages.no_evidence_gate import NoEvidenceGate
from assay.pipeline.stages.post_scorer import PostScorer
from assay.pipeline.stages.probability_calibration import Calibration, CalibrationSettings, NodeCalibration
from assay.pipeline.stages.retriever import LexicalSettings, Retriever
from assay.pipeline.stages.sentence_scorer import SentenceScorer
from assay.pipeline.stages.three_state_gate import ThreeStateGate
from assay.pipeline.views import Columns, Labelled, Unlabelled


class Peeks(Stage):
    name = "peeks"
    needs = ("gold",)
    gives = ("score",)

    def apply(self, view: Unlabelled) -> Columns:
        return {"score": view.column("gold")}


class WantsLabels(Stage):
    name = "wants"
    gives = ("score",)

    def apply(self, view: Labelled) -> Columns:  # type: ignore[override]
        return {"score": view.gold.astype(float)}


class LearnsLate(Stage):
    name = "late"
    needs = ("prob",)
    gives = ("better",)
    learns = Learns.TRAIN

    def apply(self, view: Unlabelled) -> Columns:
        return {"better": view.column("prob")}


def test_stages_compose_in_order() -> None:
    whole = (
        Retriever()
        >> Matching()
        >> SentenceScorer()
        >> Neighbours()
        >> NodeCalibration()
        >> PostScorer()
        >> EvidenceScorer()
        >> NoEvidenceGate()
        >> Calibration()
        >> DynamicK()
        >> ThreeStateGate(choose=choose)
    )
    assert whole.names() == " >> ".join(DEFAULT)
    assert build(DEFAULT, {}, choose=choose).names() == whole.names()


@pytest.mark.parametrize("stage", [Peeks(), WantsLabels()], ids=lambda stage: stage.name)
def test_gold_in_apply_is_refused(stage: Stage) -> None:
    with pytest.raises(CompositionError, match=rf"'{stage.name}' asks for gold in apply"):
        Retriever() >> stage


def test_a_column_that_nobody_gives() -> None:
    with pytest.raises(CompositionError) as error:
        Retriever() >> NoEvidenceGate()
    message = str(error.value)
    assert "lexical >> gate" in message
    assert "'gate' needs column 'node', which no earlier stage produces" in message
    assert "'gate' needs column 'score'" in message
    assert "lexical gives bm25" in message


def test_a_stage_alone_and_the_wrong_way_round() -> None:
    with pytest.raises(CompositionError, match="no earlier stage produces any"):
        SentenceScorer() >> Retriever()


def test_a_column_given_twice() -> None:
    with pytest.raises(CompositionError, match="produces column 'bm25', which stage 'lexical'"):
        Retriever() >> Retriever()


def test_train_never_learns_from_tune() -> None:
    before = (
        Retriever()
        >> Matching()
        >> SentenceScorer()
        >> Neighbours()
        >> PostScorer()
        >> EvidenceScorer()
        >> NoEvidenceGate()
        >> Calibration()
    )
    with pytest.raises(CompositionError, match="'late' learns on TRAIN and needs column 'prob'"):
        before >> LearnsLate()


def test_every_stage_has_a_formula_and_settings_with_defaults() -> None:
    for stage in STAGES.values():
        assert len((stage.__doc__ or "").split()) > 25
        assert stage.settings_type() == stage.settings_type.of({}, "x")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: LexicalSettings(b=1.5), ("b is 1.5", "to 1")),
        (lambda: LexicalSettings(top=0), ("top is 0", "from 1")),
        (lambda: ScorerSettings(strength=float("nan")), ("strength is nan", "a number")),
        (lambda: ScorerSettings(least=True), ("least is True", "whole number")),
        (lambda: CalibrationSettings(method="beta"), ("method is 'beta'", "platt, isotonic")),
    ],
)
def test_settings_are_checked(make: object, words: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as error:
        make()  # type: ignore[operator]
    assert all(word in str(error.value) for word in words), str(error.value)


def test_all_faults_of_a_configuration_at_once() -> None:
    tables: dict[str, Any] = {"lexical": {"b": 2, "c": 1}, "scorer": {"strength": "high"}, "gnn": {}}
    with pytest.raises(InputError) as error:
        build(("lexical", "matching", "scorer", "transformer"), tables, choose=choose, source="x.toml")
    assert len(error.value.faults) == 5
