"""The leaks and the clean folders of the benchmark, for tests: `benchmarks/audit_leaks`."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay.verification.audit.audit_report import AuditSettings, Seen
from assay.verification.audit.check_list import CHECKS
from assay.verification.audit.facts import Facts
from assay.verification.audit.gather_facts import checked, facts_of_corpus

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

from audit_leaks import answers, orders, systems, texts, worlds
from audit_leaks.registry import PLANTS

__all__ = ["PLANTS", "answers", "base", "facts_of", "look", "orders", "planted", "systems", "texts", "worlds"]


@cache
def base() -> worlds.World:
    return worlds.drawn(worlds.Kind(seed=1000))


def planted(title: str, strength: int) -> worlds.World:
    """A clean world with a leak at one of its three strengths."""
    plant = next(each for each in PLANTS if each.title == title)
    world = base().copy()
    plant.change(world, list(plant.strengths.values())[strength], np.random.default_rng(0))
    return world


def facts_of(world: worlds.World) -> Facts:
    tables: dict[str, Any] = dict(world.corpus)
    given: dict[str, Any] = dict(world.predictions)
    corpus = assay.Corpus.of(**tables)
    return facts_of_corpus(corpus, *checked(assay.Predictions.of(**given), corpus))


def look(code: str, facts: Facts) -> Seen:
    """What one check sees."""
    check = next(each for each in CHECKS if each.code == code)
    assert check.look is not None
    return check.look(facts, AuditSettings())
