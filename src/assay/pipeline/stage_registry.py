"""Stages by name, and pipelines built from the tables of a configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import Fault, InputError, shown
from assay.pipeline.settings import Settings
from assay.pipeline.stage import Pipeline, Stage
from assay.pipeline.stages.dynamic_k import DynamicK
from assay.pipeline.stages.embedding_scorer import EmbeddingScorer
from assay.pipeline.stages.encoders import BiEncoder, CrossEncoder, LateInteraction
from assay.pipeline.stages.evidence_scorer import EvidenceScorer
from assay.pipeline.stages.graph_gate import GraphGate
from assay.pipeline.stages.graph_reranker import GraphReranker
from assay.pipeline.stages.matching import Matching
from assay.pipeline.stages.neighbours import Neighbours
from assay.pipeline.stages.no_evidence_gate import NoEvidenceGate
from assay.pipeline.stages.post_scorer import PostScorer
from assay.pipeline.stages.probability_calibration import Calibration, NodeCalibration
from assay.pipeline.stages.retriever import Retriever
from assay.pipeline.stages.sentence_scorer import SentenceScorer
from assay.pipeline.stages.three_state_gate import Chooser, ThreeStateGate

STAGES: dict[str, type[Stage]] = {
    stage.name: stage
    for stage in (
        Retriever,
        Matching,
        SentenceScorer,
        BiEncoder,
        LateInteraction,
        CrossEncoder,
        EmbeddingScorer,
        Neighbours,
        GraphReranker,
        NodeCalibration,
        PostScorer,
        EvidenceScorer,
        NoEvidenceGate,
        GraphGate,
        Calibration,
        DynamicK,
        ThreeStateGate,
    )
}
DEFAULT = (
    "lexical",
    "matching",
    "scorer",
    "neighbours",
    "node_calibration",
    "post_scorer",
    "evidence_scorer",
    "gate",
    "calibration",
    "dynamic_k",
    "states",
)


def settings_of(
    names: Sequence[str], tables: Mapping[str, Mapping[str, Any]], source: str
) -> dict[str, Settings]:
    """Return the settings of each stage; report all wrong names and values at once."""
    expected = f"expected some of {', '.join(STAGES)}"
    faults = [
        Fault(source, "", f"names unknown stage {shown(name)}", expected)
        for name in [*names, *tables]
        if name not in STAGES
    ]
    faults += [
        Fault(source, "", f"has settings of {name}", "expected settings of its own stages")
        for name in tables
        if name in STAGES and name not in names
    ]
    settings = {}
    for name in dict.fromkeys(name for name in names if name in STAGES):
        try:
            place = f"{source} [{name}]"
            settings[name] = STAGES[name].settings_type.of(tables.get(name, {}), place)
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    return settings


def build(
    names: Sequence[str],
    tables: Mapping[str, Mapping[str, Any]],
    *,
    choose: Chooser,
    seed: int = 0,
    source: str = "pipeline",
) -> Pipeline:
    """Return the pipeline of these stages with these settings, checked as a whole."""
    settings = settings_of(names, tables, source)
    more: dict[str, dict[str, Any]] = {ThreeStateGate.name: {"choose": choose}}
    return Pipeline(tuple(STAGES[name](settings[name], seed=seed, **more.get(name, {})) for name in names))
