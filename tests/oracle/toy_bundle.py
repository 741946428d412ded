"""A bundle of four queries whose every number was worked out by hand."""

import csv
import gzip
import json
from math import log2, sqrt
from pathlib import Path
from typing import Any

Lines = list[list[Any]]

# P1 ranks x y z by .9 .9 .5 with grades 1, none and 0, and misses w; K = 1.
# P2 has no evidence, comes out of order and returns both; Q1 ranks its one gold and returns nothing;
# Q2 has neither candidates nor gold.
CANDIDATES: Lines = [
    ["post_id", "criterion_id", "item", "score", "grade", "returned"],
    ["P", "1", "x", 0.9, 1, 1],
    ["P", "2", "y", 0.3, "", 1],
    ["P", "1", "y", 0.9, "", 0],
    ["P", "2", "x", 0.6, 0, 1],
    ["Q", "1", "x", 0.4, 1, 0],
    ["P", "1", "z", 0.5, 0, 0],
]
GOLD: Lines = [
    ["post_id", "criterion_id", "item", "grade"],
    ["P", "1", "x", 1],
    ["P", "1", "z", 0],
    ["P", "1", "w", 1],
    ["P", "2", "x", 0],
    ["Q", "1", "x", 1],
]
NDCG = 1 / (1 + 1 / log2(3))
PER_QUERY: Lines = [
    [
        "post_id",
        "criterion_id",
        "fold",
        "answered",
        "n",
        "gold",
        "has_evidence",
        "prob",
        "selected_k",
        "state",
        "threshold_f1",
        "threshold_tune",
        "recall@1",
        "filled",
        "ndcg",
    ],
    ["P", "1", "a", 1, 3, 2, 1, 0.875, 1, "POS", 0.25, 0.25, 0.5, 0.5, NDCG],
    ["P", "2", "a", 1, 2, 0, 0, 0.625, 2, "UNCERTAIN", 0.25, 0.25, "", 0.0, ""],
    ["Q", "1", "b", 1, 1, 1, 1, 0.25, 0, "NEG", "inf", "inf", 1.0, 1.0, 1.0],
    ["Q", "2", "b", 0, 0, 0, 0, 0.125, 0, "NEG", "inf", "inf", "", 0.0, ""],
]
# F1 in fold a: 2/(1 + 2) at .75, 2/(2 + 2) at .5, 4/(3 + 2) at .25; fold b has no positives.
TUNE: Lines = [
    ["post_id", "criterion_id", "fold", "prob", "label"],
    ["T", "1", "a", 0.75, 1],
    ["T", "2", "a", 0.5, 0],
    ["U", "1", "a", 0.25, 1],
    ["V", "1", "b", 0.5, 0],
]


def entry(name: str, definition: str, pooled: float, folds: tuple[float, float], n: int) -> Any:
    """A measure of the file with fold mean and fold std by their formulas for two folds."""
    first, second = folds
    return {
        "name": name,
        "definition": definition,
        "value": (first + second) / 2,
        "aggregate": "fold_mean",
        "pooled": pooled,
        "population": "…",
        "n": n,
        "by_convention": {},
        "convention": None,
        "spread": None,
        "folds": {
            "values": {"a": first, "b": second},
            "mean": (first + second) / 2,
            "std": abs(first - second) / sqrt(2),
            "by_convention": 0,
        },
        "tie_sensitive": None,
        "interval": {"low": 0.0, "high": 1.0},
        "exact": None,
    }


def exact(**numbers: float) -> dict[str, float]:
    """Of one hit in two trials: 1 − (1 − low)² = 1 − high² = 0.025."""
    low, high = 1 - sqrt(0.975), sqrt(0.975)
    bounds = {"low": low, "high": high, "post_low": low, "post_high": high}
    return {**bounds, "level": 0.95, "hits": 1, "trials": 2, "units": 2.0, **numbers}


def two_of_four() -> float:
    """The p at which P(Bin(4, p) >= 2) = 1 − (1 − p)⁴ − 4p(1 − p)³ is 0.025, by halving."""
    low, high = 0.0, 0.5
    for _ in range(60):
        p = (low + high) / 2
        if 1 - (1 - p) ** 4 - 4 * p * (1 - p) ** 3 < 0.025:
            low = p
        else:
            high = p
    return low


def master() -> dict[str, Any]:
    """The file of all numbers."""
    recall = entry("recall@1", "recall@1:gold=all,rel=1,on=evidence", 0.75, (0.5, 1.0), 2)
    recall["spread"] = {"std": sqrt(0.125), "median": 0.75, "p25": 0.625, "p75": 0.875}
    recall["tie_sensitive"] = 1  # y may stand before x
    filled = entry("filled", "recall@1:gold=all,rel=1,on=all", 1.5 / 4, (0.25, 0.5), 4)
    filled["by_convention"] = {"the query has no gold": 2}
    filled["tie_sensitive"] = 1
    ndcg = entry("ndcg", "ndcg@3:gain=linear,gold=all,cut=k,on=evidence", (NDCG + 1) / 2, (NDCG, 1), 2)
    ndcg["tie_sensitive"] = 1
    auroc = entry("auroc", "auroc:on=all", 3 / 4, (1.0, 1.0), 4)
    auroc["aggregate"], auroc["value"] = "pooled", 3 / 4
    deployed = entry("deployed", "sensitivity:at=returned,on=all", 1 / 2, (1.0, 0.0), 4)
    deployed["exact"] = exact()
    tuned = entry("tuned", "sensitivity:at=tune,on=all", 1 / 2, (1.0, 0.0), 4)
    missed = entry("missed", "screening_fn_per_1000:on=evidence", 500.0, (0.0, 1000.0), 2)
    bounds = ("low", "high", "post_low", "post_high")
    missed["exact"] = exact(**{name: 1000 * exact()[name] for name in bounds})
    # Two of four are NEG, of two posts with two queries each: 4²/(2² + 2²) = 2 units, one of two.
    negative = entry("negative", "rate:state=neg,on=all", 0.5, (0.0, 1.0), 4)
    low = two_of_four()
    negative["exact"] = exact(low=low, high=1 - low, hits=2, trials=4)
    hamming = entry("hamming", "hamming_score:at=returned,on=all", 0.5, (0.5, 0.5), 4)
    ppv = entry("ppv", "ppv:at=pos,on=evidence", 1.0, (1.0, 0.0), 2)
    ppv["folds"]["by_convention"] = 1  # no alert in fold b
    median = entry("median_k", "selected_k:stat=median,on=all", 0.5, (1.5, 0.0), 4)
    return {
        "contract": {
            "id": "toy/1",
            "hash": "…",
            "ties": "stable",
            "depth": None,
            "aggregate": "fold_mean",
            "deployment": "f1",
            "confidence": 0.9,
        },
        "keys": ["post_id", "criterion_id"],
        "counts": {
            "queries": 4,
            "evidence": 2,
            "missing": 1,
            "left_out": 3,
            "resorted": 1,
            "candidates": 6,
            "excluded": 0,
            "aside": 0,
        },
        "measures": [recall, filled, ndcg, auroc, deployed, tuned, missed, negative, hamming, ppv, median],
        "groups": {
            "criterion_id": {
                "1": {
                    "recall@1": {"value": 0.75, "n": 2, "convention": None},
                    "auroc": {"value": 0.5, "n": 2, "convention": "only one class"},
                },
                "2": {"recall@1": {"value": 0.0, "n": 0, "convention": "the population has no query"}},
            }
        },
        "thresholds": [
            {
                "rule": "f1",
                "value": 0.25,
                "fold": "a",
                "queries": 3,
                "positives": 2,
                "units": 0.0,
                "reached": 0.8,
                "confidence": None,
                "certified": False,
                "note": "",
                "posts": 2,
                "deployment": True,
            },
            {
                "rule": "f1",
                "value": None,
                "fold": "b",
                "queries": 1,
                "positives": 0,
                "units": 0.0,
                "reached": 0.0,
                "confidence": None,
                "certified": False,
                "note": "",
                "posts": 1,
                "deployment": True,
            },
        ],
        "selected_k": {
            "all": {"0": 2, "1": 1, "2": 1},
            "state=NEG": {"0": 2},
            "has_evidence=1": {"0": 1, "1": 1},
        },
    }


def write(folder: Path, changed: dict[str, Any] | None = None) -> Path:
    """Write the files; `changed` has another content of some of them by name."""
    contents: dict[str, Any] = {
        "metrics_master.json": master(),
        "per_query.csv": PER_QUERY,
        "candidates.csv.gz": CANDIDATES,
        "gold.csv": GOLD,
        "tune.csv": TUNE,
        **(changed or {}),
    }
    folder.mkdir(exist_ok=True)
    for name, content in contents.items():
        path = folder / name
        if content is None:
            path.unlink(missing_ok=True)
        elif name.endswith(".json"):
            path.write_text(json.dumps(content), encoding="utf-8")
        else:
            write_lines(path, content)
    return folder


def write_lines(path: Path, lines: Lines) -> None:
    """A CSV file, compressed where its name says so."""
    if path.suffix == ".gz":
        with gzip.open(path, "wt", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows(lines)
    else:
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows(lines)


def with_field(lines: Lines, row: int, column: str, value: Any) -> Lines:
    """The lines with one field exchanged; rows count from 1, after the header."""
    changed = [list(line) for line in lines]
    changed[row][changed[0].index(column)] = value
    return changed
