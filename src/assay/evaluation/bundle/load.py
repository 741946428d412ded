"""`load`: a bundle back as a result that knows its tables."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from assay.contracts.contract import Contract
from assay.contracts.contract_parts import TARGET, Correction, Target
from assay.data.cases import Counts
from assay.errors import InputError, shown
from assay.evaluation.bundle.bundle_checks import check_tables
from assay.evaluation.bundle.bundle_files import (
    GATE,
    MANIFEST,
    MASTER,
    check_hashes,
    listed_files,
    read_bytes,
    read_json,
    read_table,
    sha256,
)
from assay.evaluation.bundle.loaded_bundle import LoadedBundle
from assay.evaluation.bundle.master import PREDICTED_LISTS, SCHEMA
from assay.evaluation.bundle.schema_check import check_document
from assay.evaluation.bundle.snapshot import unchanged
from assay.evaluation.bundle.table_text import StoredRows
from assay.evaluation.intervals.bootstrap_plan import Bootstrap
from assay.evaluation.result import (
    Baseline,
    Exact,
    Folds,
    GroupValue,
    Interval,
    Result,
    Spread,
    TieRange,
    TuneSplit,
    Value,
)
from assay.evaluation.thresholds.threshold_rule import ThresholdRule
from assay.evaluation.thresholds.tune_thresholds import Threshold


def load(folder: str | Path) -> Result:
    """Return the result of a bundle, with the tables behind it.

    The result is a snapshot: its numbers and queries are those of the bundle that was loaded,
    whatever happens to the folder afterwards. `result.bundle` has the candidates and the gold.

    Parameters
    ----------
    folder
        The folder of a bundle, as `Result.save` or `assay evaluate -o` wrote it.

    Returns
    -------
    Result
        The numbers, with `bundle`: the folder, its document, and the tables behind the numbers.

    Raises
    ------
    InputError
        If a file is missing, has another hash than the manifest says, or holds a table that
        nothing can be derived from.

    Examples
    --------
    >>> inputs = assay.example_path("predictions"), assay.example_path("corpus")
    >>> folder = assay.evaluate(*inputs, measures=["ndcg@10"]).save("loaded")
    >>> result = assay.load(folder)
    >>> result["ndcg@10"], result.bundle.gold.height
    (Value(ndcg@10 = 0.7493, n = 13), 19)

    """
    path = Path(folder)
    with unchanged(path):
        names, document = _checked(path)
        result = result_of(document, path, names)
        check_tables(result, path)
        gate = read_json(path / GATE) if (path / GATE).is_file() else None
        made = LoadedBundle(
            path, document, names, sha256(path / MANIFEST), gate if isinstance(gate, dict) else None
        )
    return replace(result, bundle=made)


def read_result(folder: Path) -> Result:
    """Return the result of a bundle for a caller that checks its tables; hashes are compared."""
    names, document = _checked(folder)
    return result_of(document, folder, names)


def _checked(path: Path) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the manifest's hashes and the master document of a bundle whose files match them."""
    names = listed_files(path)
    faults = check_hashes(path, names)
    if faults:
        raise InputError(faults)
    return names, read_json(path / MASTER, names[MASTER])


def result_of(document: dict[str, Any], folder: Path, names: dict[str, str] | None = None) -> Result:
    """Return the result behind a `metrics_master.json`; tables must have the hashes of `names`, if given.

    Those are read now. Without hashes they are read on first use.
    """
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise InputError.of(MASTER, "has another schema", f"expected {SCHEMA}")
    check_document(document, "bundle", MASTER)
    try:
        return _result(document, folder, names or {})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problem = f"has a missing or misspelt key ({type(error).__name__}: {error})"
        raise InputError.of(MASTER, problem, f"expected {SCHEMA}") from None


def _result(document: dict[str, Any], folder: Path, names: dict[str, str]) -> Result:
    queries = folder / "per_query.csv"
    held = read_bytes(queries, names["per_query.csv"]) if names else None
    contract = document["contract"]
    plan, split = document["bootstrap"], document.get("tune_split")
    texts = tuple(document["groups"])
    return Result(
        system=document["system"],
        contract=_contract(contract),
        counts=Counts(**document["counts"]),
        measures=tuple(map(_value, document["measures"])),
        absent=document["absent"],
        unexpected=document["unexpected"],
        groups={
            column: {
                label: {name: _group(value) for name, value in row.items()} for label, row in rows.items()
            }
            for column, rows in document["groups"].items()
        },
        thresholds=tuple(_threshold(each, folder, names) for each in document["thresholds"]),
        selected_k={
            group: {int(k): count for k, count in counts.items()}
            for group, counts in document["selected_k"].items()
        },
        query_keys=tuple(document["keys"]),
        tune_reused=document["tune_reused"],
        tune_split=split and TuneSplit(**split),
        bootstrap=None if plan is None else Bootstrap(**plan),
        predicted_lists=document.get(PREDICTED_LISTS, False),
        baselines=tuple(Baseline(**each) for each in document.get("baselines", ())),
        queries=partial(read_table, queries, texts=texts)
        if held is None
        else StoredRows(held, queries.name, texts),
    )


def _value(each: dict[str, Any]) -> Value:
    made = Value(**each)
    return replace(
        made,
        spread=each["spread"] and Spread(**each["spread"]),
        folds=each["folds"] and Folds(**each["folds"]),
        interval=each["interval"] and Interval(**each["interval"]),
        exact=each["exact"] and Exact(**each["exact"]),
        target=each["target"] and Target(**each["target"]),
        tie_range=TieRange(**each["tie_range"]) if "tie_range" in each else None,
    )


def _group(each: dict[str, Any]) -> GroupValue:
    made = GroupValue(**each)
    interval, exact = each.get("interval"), each.get("exact")
    return replace(made, interval=interval and Interval(**interval), exact=exact and Exact(**exact))


def _threshold(each: dict[str, Any], folder: Path, names: dict[str, str]) -> Threshold:
    """With the posts that chose it, as `tune.csv` has them."""
    value = float("inf") if each["value"] is None else each["value"]
    posts: frozenset[str] = frozenset()
    if (folder / "tune.csv").is_file():
        needed = ["post_id"] if each["fold"] is None else ["post_id", "fold"]
        tune = read_table(folder / "tune.csv", names.get("tune.csv"), needed=needed)
        mine = tune if each["fold"] is None else tune.filter(pl.col("fold") == each["fold"])
        posts = frozenset(mine["post_id"].to_list())
    return Threshold(**{**each, "value": value, "posts": posts})


def _contract(each: dict[str, Any]) -> Contract:
    """Return the contract that a bundle was made under; `ValueError` where it could not be one."""
    odd = [text for text in each["targets"].values() if not re.fullmatch(TARGET, text)]
    if odd:
        raise ValueError(f"a target is {shown(odd[0])}")
    if each["deployment"] is not None:
        ThresholdRule.of(each["deployment"])
    if not 0 < each["confidence"] < 1:
        raise ValueError(f"confidence is {each['confidence']}")
    corrections = (
        Correction(**{**entry, "measures": tuple(entry["measures"])}) for entry in each.get("corrections", ())
    )
    given = {
        "source": "bundle",
        "measures": each["patterns"],
        "absent": each.get("absent", {}),
        "corrections": tuple(corrections),
    }
    return Contract.of({**each, **given})
