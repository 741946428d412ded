"""Stages by name, and pipelines built from the tables of a configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import Fault, InputError, shown
from assay.pipeline.custom.load_stage import check_class, importable, load_stage, path_of
from assay.pipeline.custom.opened_files import running
from assay.pipeline.custom.stage_sources import is_custom
from assay.pipeline.models.model_files import ModelSettings, located
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


Entry = str | type[Stage]
"""A stage in a configuration: the name of one of ours, `module:Class`, or a class."""


def types_of(entries: Sequence[Entry], folder: Path | None, source: str) -> tuple[type[Stage], ...]:
    """Return the classes of the stages; report all that cannot be found at once.

    `folder`, the one of the configuration file, is searched for modules first.
    """
    found, faults = found_types(entries, folder, source)
    if faults:
        raise InputError(faults)
    return found


def entry_name(entry: Entry) -> str:
    """Return an entry as a configuration writes it."""
    return entry if isinstance(entry, str) else f"{entry.__module__}:{entry.__qualname__}"


def found_types(
    entries: Sequence[Entry], folder: Path | None, source: str
) -> tuple[tuple[type[Stage], ...], list[Fault]]:
    """Return the classes that can be found, and what is wrong with the others."""
    out: list[type[Stage]] = []
    faults: list[Fault] = []
    for entry in entries:
        try:
            out.append(_type(entry, folder, source))
        except InputError as error:
            faults += error.faults
    return tuple(out), faults


def _type(entry: Entry, folder: Path | None, source: str) -> type[Stage]:
    if isinstance(entry, str) and ":" not in entry:
        if entry not in STAGES:
            expected = f"expected some of {', '.join(STAGES)}, or module:Class for your own"
            raise InputError.of(source, f"names unknown stage {shown(entry)}", expected)
        return STAGES[entry]
    who = f"stage {shown(entry_name(entry) if isinstance(entry, type | str) else entry)}"
    if isinstance(entry, str):
        kind = load_stage(entry, folder, source)
    else:
        check_class(entry, who, source)
        kind = entry
    if STAGES.get(kind.name, kind) is not kind:
        problem = f"{who} is named {kind.name!r}, like a stage of assay"
        raise InputError.of(source, problem, "choose another name")
    return kind


def settings_of(
    entries: Sequence[Entry], tables: Mapping[str, Mapping[str, Any]], source: str, folder: Path | None = None
) -> dict[str, Settings]:
    """Return the settings of each stage; report all wrong names and values at once.

    A relative folder of a model starts at `folder`.
    """
    found, faults = found_types(entries, folder, source)
    kinds = {kind.name: kind for kind in found}
    whole = not any(":" in entry_name(entry) for entry in entries) or len(found) == len(entries)
    for name in tables:
        if name in STAGES and name not in kinds:
            faults.append(Fault(source, "", f"has settings of {name}", "expected settings of its stages"))
        elif name not in kinds and whole:  # else it may belong to a stage that was not found
            expected = f"expected some of {', '.join(kinds)}"
            faults.append(Fault(source, "", f"has settings of unknown stage {shown(name)}", expected))
    settings = {}
    for name, kind in kinds.items():
        try:
            made = kind.settings_type.of(tables.get(name, {}), f"{source} [{name}]")
            settings[name] = located(made, folder) if isinstance(made, ModelSettings) else made
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    return settings


def build(
    entries: Sequence[Entry],
    tables: Mapping[str, Mapping[str, Any]],
    *,
    choose: Chooser,
    seed: int = 0,
    source: str = "pipeline",
    folder: Path | None = None,
) -> Pipeline:
    """Return the pipeline of these stages with these settings, checked as a whole."""
    settings = settings_of(entries, tables, source, folder)
    more: dict[str, dict[str, Any]] = {ThreeStateGate.name: {"choose": choose}}
    stages, faults = [], []
    for kind in types_of(entries, folder, source):
        try:
            with importable(path_of(kind)), running(kind.name, "__init__"):
                stages.append(kind(settings[kind.name], seed=seed, **more.get(kind.name, {})))
        except Exception as error:
            if not is_custom(kind) or isinstance(error, InputError):
                raise
            problem = f"stage {kind.name!r} cannot be created ({type(error).__name__}: {error})"
            expected = "expected __init__(self, settings=None, *, seed=0), as in assay.Stage"
            faults.append(Fault(source, "", problem, expected))
    if faults:
        raise InputError(faults)
    made = Pipeline(tuple(stages))
    if not any(stage.ranks for stage in made):
        expected = 'add one such as lexical, or set ranks = "column" in your own stage'
        raise InputError.of(source, "no stage ranks the candidates", expected)
    return made
