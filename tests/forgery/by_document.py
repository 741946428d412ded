"""Forgeries of what a bundle says: numbers, claims and the contract, with all records rebuilt."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import polars as pl

from assay.contracts.contract import Contract
from assay.contracts.contract_toml import contract
from assay.evaluation.bundle import every_eval, ro_crate
from assay.evaluation.bundle.bundle_files import MANIFEST, files_of, manifest
from tests.bundle.rebuild import document_of, put, rebuilt
from tests.forgery.scene import Scene, evaluated

Document = dict[str, Any]
Edit = Callable[[Document, Random, Path], None]
Forger = Callable[[Scene, Random, Path], Path]
TEXTS = {"post_id": pl.String, "fold": pl.String, "item": pl.String}


def from_document(edit: Edit) -> Forger:
    """Return a forger: edit a copy of the honest bundle, then rebuild everything else."""

    def forge(honest: Scene, draw: Random, target: Path) -> Path:
        bundle = Path(shutil.copytree(honest.bundle, target / "bundle"))
        document = document_of(bundle)
        edit(document, draw, bundle)
        return rebuilt(bundle, document)

    return forge


def from_contract(change: Callable[[Contract, Random], Contract]) -> Forger:
    """Return a forger: evaluate the genuine inputs under another contract."""

    def forge(honest: Scene, draw: Random, target: Path) -> Path:
        rules = change(contract("assay/1"), draw)
        return evaluated(honest.folder, target / "bundle", rules=rules)

    return forge


def _one(document: Document, draw: Random) -> Document:
    chosen = draw.choice(document["measures"])
    assert isinstance(chosen, dict)
    return chosen


def _shift(draw: Random) -> float:
    return draw.choice((-1, 1)) * draw.choice((1e-6, 1e-3, 0.05))


def value(document: Document, draw: Random, _: Path) -> None:
    each, shift = _one(document, draw), _shift(draw)
    for key in ("value", "pooled"):
        each[key] += shift
    if each["folds"]:
        each["folds"]["mean"] += shift
    if each["interval"]:
        each["interval"]["low"] += shift
        each["interval"]["high"] += shift


def interval(document: Document, draw: Random, _: Path) -> None:
    each = draw.choice([each for each in document["measures"] if each["interval"]])
    middle = each["value"]
    for end in ("low", "high"):
        each["interval"][end] += (middle - each["interval"][end]) * 0.5
    if each["interval"]["low"] == each["interval"]["high"]:
        each["interval"]["low"] -= 0.01


def group(document: Document, draw: Random, _: Path) -> None:
    rows = draw.choice(list(document["groups"]["criterion_id"].values()))
    rows[draw.choice(list(rows))]["value"] += _shift(draw)


def count(document: Document, draw: Random, _: Path) -> None:
    if draw.random() < 0.5:
        document["counts"][draw.choice(("queries", "evidence", "candidates"))] += draw.randint(1, 99)
    else:
        _one(document, draw)["n"] += draw.randint(1, 99)


def threshold(document: Document, draw: Random, folder: Path) -> None:
    """A threshold, and the column of `per_query.csv` that repeats it."""
    each = draw.choice([each for each in document["thresholds"] if each["value"] is not None])
    old, new = each["value"], round(each["value"] * 0.9 + 0.01, 6)
    each["value"] = new
    path = folder / "per_query.csv"
    frame = pl.read_csv(path, schema_overrides=TEXTS)
    columns = [name for name in frame.columns if name.startswith("threshold_")]
    moved = pl.col(columns).cast(pl.Float64).replace(old, new)
    frame.with_columns(moved).write_csv(path)


def certified(document: Document, draw: Random, _: Path) -> None:
    each = draw.choice(document["thresholds"])
    each["certified"] = not each["certified"]
    each["confidence"] = 0.99


def absent(document: Document, draw: Random, _: Path) -> None:
    """Say that the data cannot have a measure that came out badly."""
    each = _one(document, draw)
    document["measures"].remove(each)
    document["absent"][each["name"]] = "the system gave no probabilities"


def definition(document: Document, draw: Random, _: Path) -> None:
    _one(document, draw)["definition"] = "mrr:rel=1,on=evidence"


def seed(document: Document, draw: Random, _: Path) -> None:
    document["bootstrap"][draw.choice(("seed", "resamples"))] += draw.randint(1, 9)


def histogram(document: Document, draw: Random, _: Path) -> None:
    counts = draw.choice(list(document["selected_k"].values()))
    counts[draw.choice(list(counts))] += 1


def per_query(_: Document, draw: Random, folder: Path) -> None:
    """A value of one query."""
    path = folder / "per_query.csv"
    frame = pl.read_csv(path, schema_overrides=TEXTS)
    name = draw.choice(("ndcg@3", "recall@3"))
    row = draw.choice([at for at, each in enumerate(frame[name]) if each is not None])
    values = frame[name].cast(pl.Float64).to_list()
    values[row] = values[row] * 0.5 + 0.3
    frame.with_columns(pl.Series(name, values)).write_csv(path)


def state(_: Document, draw: Random, folder: Path) -> None:
    """A state that its probability contradicts."""
    path = folder / "per_query.csv"
    frame = pl.read_csv(path, schema_overrides=TEXTS)
    values = frame["state"].to_list()
    row = draw.randrange(len(values))
    values[row] = "POS" if values[row] != "POS" else "NEG"
    frame.with_columns(pl.Series("state", values)).write_csv(path)


def per_post(_: Document, draw: Random, folder: Path) -> None:
    path = folder / "per_post.csv"
    frame = pl.read_csv(path, schema_overrides=TEXTS)
    name = draw.choice(("tp", "queries", "evidence"))
    frame.with_columns(pl.col(name) + 1).write_csv(path)


def older_text(document: Document, draw: Random, _: Path) -> None:
    """Claim the text from before a correction as an excuse for another value."""
    text = (Path(__file__).parents[1] / "contracts" / "before" / "assay-1.toml").read_text()
    given = document["contract"]
    given |= {"text": text, "hash": hashlib.sha256(text.encode()).hexdigest()}
    for key in ("corrections", "absent", "corrected"):
        del given[key]
    each = next(each for each in document["measures"] if each["name"] == "ece")
    each["value"] = each["value"] * draw.choice((0.1, 0.5))


def contract_text(document: Document, draw: Random, _: Path) -> None:
    """Lower a target in the document alone; text and hash stay those of the shipped contract."""
    name = draw.choice(list(document["contract"]["targets"]))
    document["contract"]["targets"][name] = ">= 0.01"


def targets(shipped: Contract, draw: Random) -> Contract:
    """Lower targets under the shipped id."""
    lowered = draw.choice(({}, {"auroc": ">= 0.10"}, {**shipped.targets, "ece": "< 0.9"}))
    return replace(shipped, targets=lowered)


def meanings(shipped: Contract, draw: Random) -> Contract:
    """Let a shipped name mean something else."""
    other = draw.choice(
        (
            {"recall@{k}": "recall@{k}:gold=retrieved,rel=1,on=evidence"},
            {"ndcg@{k}": "ndcg@{k}:gain=exponential,gold=all,cut=k,on=evidence"},
            {"sensitivity": "sensitivity:at=0.2,on=all"},
        )
    )
    return replace(shipped, measures={**shipped.measures, **other})


def rules(shipped: Contract, draw: Random) -> Contract:
    """Change a rule under the shipped id."""
    return draw.choice(
        (
            replace(shipped, aggregate="pooled"),
            replace(shipped, deployment="fpr_0.20"),
            replace(shipped, confidence=0.5),
            replace(shipped, ranking=replace(shipped.ranking, ties="docno_desc")),
        )
    )


def users_contract(shipped: Contract, draw: Random) -> Contract:
    """An honest id of one's own, and targets that are easily met."""
    lowered = dict.fromkeys(shipped.targets, ">= 0.00")
    return replace(shipped, id=f"strict/{draw.randint(1, 9)}", targets=lowered)


def excluded_counts(document: Document, draw: Random, _: Path) -> None:
    document["counts"][draw.choice(("left_out", "excluded", "aside"))] += draw.randint(1, 99)


def input_hashes(document: Document, draw: Random, _: Path) -> None:
    each = draw.choice(document["inputs"])
    each["sha256"] = hashlib.sha256(str(draw.random()).encode()).hexdigest()
    each["bytes"] += draw.randint(0, 9)


def extra_column(_: Document, draw: Random, folder: Path) -> None:
    """A column of a table that no number follows from."""
    path = folder / "per_query.csv"
    frame = pl.read_csv(path, schema_overrides=TEXTS)
    site = [draw.choice("AB") for _ in range(frame.height)]
    frame.with_columns(pl.Series("site", site)).write_csv(path)


def schema(_: Document, draw: Random, folder: Path) -> None:
    path = folder / "schema" / draw.choice(("bundle.schema.json", "result.schema.json"))
    made = json.loads(path.read_text())
    made["description"] = "anything goes"
    path.write_text(json.dumps(made))


def system_name(honest: Scene, draw: Random, target: Path) -> Path:
    """The same numbers under the name of another system."""
    name = f"rival-{draw.randint(1, 99)}"
    return evaluated(honest.folder, target / "bundle", system=name)


def versions(document: Document, draw: Random, _: Path) -> None:
    name = draw.choice(("assay", "python", "numpy", "polars"))
    document["versions"][name] = f"9.{draw.randint(0, 99)}"


def day(honest: Scene, _: Random, target: Path) -> Path:
    """Another day in the records for archives and collections."""
    bundle = Path(shutil.copytree(honest.bundle, target / "bundle"))
    document = document_of(bundle)
    put(bundle / every_eval.NAME, every_eval.every_eval(document, "1000000000"))
    names = [name for name in files_of(bundle) if name not in (ro_crate.NAME, MANIFEST)]
    put(bundle / ro_crate.NAME, ro_crate.crate(bundle, document, names, "2001-09-09"))
    put(bundle / MANIFEST, manifest(bundle))
    return bundle


RECOMPUTED: dict[str, Edit] = {
    each.__name__: each
    for each in (
        value,
        interval,
        group,
        count,
        threshold,
        certified,
        absent,
        definition,
        seed,
        histogram,
        per_query,
        state,
        per_post,
        older_text,
        contract_text,
    )
}
CLAIMED: dict[str, Edit] = {
    each.__name__: each for each in (excluded_counts, input_hashes, extra_column, schema)
}
CONTRACTS = {each.__name__: each for each in (targets, meanings, rules)}
