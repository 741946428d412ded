"""TUNE queries that are not drawn like EVAL: fabricated, trained on, or easier."""

from __future__ import annotations

import polars as pl

from assay.verification.audit.audit_report import RARE, AuditSettings, Seen, clean, flagged, not_applicable
from assay.verification.audit.facts import Facts
from assay.verification.audit.system.auroc_by_post import Area, area_of, difference, mean_area

UNLIKE = 0.5
"""1 − AUROC on one of TUNE and EVAL is at most this fraction of that on the other."""
SHIFTED = 0.25
"""Distance from 0.5 of the chance that a TUNE probability exceeds an EVAL one of its class."""
FEWEST = 20
"""Minimum queries of each class in TUNE and in EVAL to compare them."""


def tune_unlike_eval(facts: Facts, _: AuditSettings) -> Seen:
    """Check whether probabilities differ between TUNE and EVAL: one of them is mislabelled.

    Posts of both are drawn alike, so AUROC and the level of each class should be similar too.
    """
    if facts.tune is None:
        return not_applicable("there is no TUNE")
    parts = [(name, rows) for name, rows in facts.parts() if facts.tune_of(name) is not None]
    folds = parts[1:] if len(parts) > 1 and "fold" in facts.tune.columns else parts[:1]
    looked = f"{len(facts.queries)} EVAL and {len(facts.tune)} TUNE probabilities"
    compared: dict[str, list[Area]] = {"EVAL": [], "TUNE": [], "with": [], "without": []}
    for name, rows in folds:
        own = facts.tune_of(name)
        assert own is not None, "parts without TUNE are left out"
        _compare(compared, rows, own)
    if not all(compared.values()):
        return not_applicable("TUNE or EVAL lacks a class", looked)
    areas = {name: mean_area(made) for name, made in compared.items()}
    if min(min(area.positives, area.negatives) for area in areas.values()) < FEWEST:
        return not_applicable(f"fewer than {FEWEST} queries of a class", looked)
    gap, p = difference(areas["EVAL"], areas["TUNE"])
    errors = sorted(1 - areas[name].value for name in ("EVAL", "TUNE"))
    numbers = {f"{name.lower()}_auroc": areas[name].value for name in ("EVAL", "TUNE")} | {"p": p}
    why = []
    if p <= RARE and errors[0] <= UNLIKE * errors[1]:
        better = "EVAL" if gap > 0 else "TUNE"
        areas_shown = ", ".join(f"{areas[each].value:.3f} on {each}" for each in ("EVAL", "TUNE"))
        why.append(f"{better} is too easy: AUROC {areas_shown}")
    for name in ("with", "without"):
        shift, p = difference(areas[name], None)
        numbers |= {f"shift_{name}_evidence": areas[name].value, f"p_{name}_evidence": p}
        if p <= RARE and abs(shift) >= SHIFTED:
            level = "above" if shift > 0 else "below"
            why.append(f"TUNE queries {name} evidence are {level} those of EVAL")
    if why:
        return flagged(looked, "; ".join(why), [name for name, _ in folds], **numbers)
    return clean(looked, **numbers)


def _compare(made: dict[str, list[Area]], own: pl.DataFrame, tune: pl.DataFrame) -> None:
    """Add the areas of one fold: of each role, and of TUNE over EVAL within each class."""
    label = pl.col("has_evidence").cast(pl.Boolean).alias("label")
    both = pl.concat(
        [
            own.select("post_id", "prob", label, pl.lit(False).alias("tune")),
            tune.select("post_id", "prob", pl.col("label").cast(pl.Boolean), pl.lit(True).alias("tune")),
        ]
    )
    picked = {
        "EVAL": (~pl.col("tune"), "label"),
        "TUNE": (pl.col("tune"), "label"),
        "with": (pl.col("label"), "tune"),
        "without": (~pl.col("label"), "tune"),
    }
    for name, (rows, side) in picked.items():
        part = both.filter(rows)
        value, is_one = part["prob"].to_numpy(), part[side].to_numpy()
        area = area_of(value, is_one, part["post_id"].to_list())
        if area is not None:
            made[name].append(area)
