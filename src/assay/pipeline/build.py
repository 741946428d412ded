"""Stages by name, and a pipeline from the tables of a configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import Fault, InputError, shown
from assay.pipeline.calibration import Calibration, NodeCalibration
from assay.pipeline.dynamic_k import DynamicK
from assay.pipeline.embedding import Embedding
from assay.pipeline.encoders import BiEncoder, CrossEncoder, LateInteraction
from assay.pipeline.evidence_scorer import EvidenceScorer
from assay.pipeline.gate import Gate
from assay.pipeline.graph import Graph
from assay.pipeline.graph_gate import GraphGate
from assay.pipeline.lexical import Lexical
from assay.pipeline.neighbours import Neighbours
from assay.pipeline.post_scorer import PostScorer
from assay.pipeline.scorer import Scorer
from assay.pipeline.settings import Settings
from assay.pipeline.stage import Pipeline, Stage
from assay.pipeline.states import Chooser, States

STAGES: dict[str, type[Stage]] = {
    stage.name: stage
    for stage in (
        Lexical,
        Scorer,
        BiEncoder,
        LateInteraction,
        CrossEncoder,
        Embedding,
        Neighbours,
        Graph,
        NodeCalibration,
        PostScorer,
        EvidenceScorer,
        Gate,
        GraphGate,
        Calibration,
        DynamicK,
        States,
    )
}
DEFAULT = (
    "lexical",
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
    """The settings of each stage; all that is wrong with names and values at once."""
    expected = f"expected some of {', '.join(STAGES)}"
    faults = [
        Fault(source, "", f"has no stage {shown(name)}", expected)
        for name in [*names, *tables]
        if name not in STAGES
    ]
    faults += [
        Fault(source, "", f"has settings of {name}", "expected settings of its stages only")
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
    """The pipeline of these stages with these settings, checked as a whole."""
    settings = settings_of(names, tables, source)
    more: dict[str, dict[str, Any]] = {States.name: {"choose": choose}}
    return Pipeline(
        tuple(STAGES[name](settings[name], seed=seed, **more.get(name, {})) for name in names)
    )
