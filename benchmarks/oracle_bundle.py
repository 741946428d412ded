"""Time and memory of the oracle on a synthetic bundle: `python benchmarks/oracle_bundle.py`.

The bundle has the size of the contracts' corpus. Its numbers are all 0: the oracle recomputes and
does not judge, so its work is the same.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CRITERIA = 10
CUTS = ("1", "3", "5", "10", "20", "all")
BY_CUT = (
    "ndcg@{}:gain=linear,gold=all,cut=k,on=evidence",
    "recall@{}:gold=all,rel=1,on=evidence",
    "precision@{}:denominator=k,rel=1,on=evidence",
    "hit@{}:rel=1,on=evidence",
    "map@{}:denominator=min_r_k,cut=k,rel=1,on=evidence",
    "mrr@{}:rel=1,on=evidence",
)
COUNTS = (
    "tp",
    "fp",
    "tn",
    "fn",
    "sensitivity",
    "specificity",
    "fpr",
    "fnr",
    "ppv",
    "npv",
    "f1",
    "mcc",
    "balanced_accuracy",
)
BUDGETS = ("0.01", "0.03", "0.05", "0.10")
OTHERS = (
    "mrr:rel=1,on=evidence",
    "rprec:rel=1,on=evidence",
    "auroc:on=all",
    "auprc:on=all",
    "score_auroc:on=all",
    "score_auprc:on=all",
    "pair_auroc:rel=1,on=all",
    "pair_auprc:rel=1,on=all",
    "ece:bins=10,on=all",
    "ece_floor:bins=10,on=all",
    "ece_debiased:bins=10,on=all",
    "brier:on=all",
    "brier_reliability:bins=10,on=all",
    "brier_resolution:bins=10,on=all",
    "brier_uncertainty:on=all",
    "calibration_slope:clip=0.000001,on=all",
    "calibration_intercept:clip=0.000001,on=all",
    "aurc:at=0.5,on=all",
    "eaurc:at=0.5,on=all",
    "expected_cost:fp=1,fn=10,at=0.5,on=all",
    "net_benefit@0.1:on=all",
    "utility:abstain=1,found=1,missed=0,alarm=0,at=returned,on=all",
    "selected_k:stat=mean,on=returned",
    "evidence_precision:average=macro,rel=1,on=evidence",
    "evidence_precision:average=micro,rel=1,on=evidence",
    "rate:state=neg,on=all",
    "rate:state=uncertain,on=all",
    "rate:state=pos,on=all",
    "alert_rate_per_1000:on=all",
    "sensitivity:at=not_neg,on=all",
    "screening_fn_per_1000:on=all",
    "fnr:at=not_neg,on=all",
    "ppv:at=pos,on=all",
    "exact_match:at=returned,on=all",
    "hamming_score:at=returned,on=all",
    "hamming_loss:at=returned,on=all",
    "macro_f1:over=posts,empty=0,at=returned,on=all",
    "macro_f1:over=criteria,empty=0,at=returned,on=all",
    "weighted_f1:over=posts,at=returned,on=all",
    "weighted_f1:over=criteria,at=returned,on=all",
)
DEFINITIONS = [
    *(form.format(k) for form in BY_CUT for k in CUTS),
    *(f"{name}:at={at},on=all" for at in ("0.5", "tune", "returned") for name in COUNTS),
    *(f"tpr_at_fpr@{x}:threshold={t},on=all" for x in BUDGETS for t in ("same", "tune")),
    *(f"fpr_reached@{x}:threshold=tune,on=all" for x in BUDGETS),
    *(
        f"selected_k:stat={s},on=all"
        for s in ("mean", "median", "p25", "p75", "p90", "min", "max", "std", "total")
    ),
    *(
        f"evidence_recall:average={a},rel=1,on=evidence"
        for a in ("macro", "micro", "micro_conditional", "retrieved")
    ),
    *OTHERS,
]
RULES = ("f1", *(f"fpr_{x}" for x in BUDGETS))
RATES = ("sensitivity", "specificity", "fpr", "fnr", "ppv", "npv", "rate", "alert", "screening")


def write_bundle(folder: Path, posts: int, candidates: int, draws: int) -> None:
    """Write a bundle of posts × 10 queries, five folds, and a file of draws next to it."""
    rng = random.Random(7)
    keys = ["post_id", "criterion_id"]
    master: dict[str, Any] = {
        "contract": {"ties": "stable", "depth": None, "deployment": "f1", "confidence": 0.9},
        "keys": keys,
        "counts": {"queries": 0, "evidence": 0, "candidates": 0},
        "measures": [_entry(definition) for definition in DEFINITIONS],
        "groups": {
            column: {label: {d: {"value": 0, "n": 0} for d in DEFINITIONS} for label in labels}
            for column, labels in {
                "criterion_id": [f"A.{i}" for i in range(CRITERIA)],
                "state": ["NEG", "UNCERTAIN", "POS"],
                "has_evidence": ["0", "1"],
            }.items()
        },
        "thresholds": [{"rule": rule, "fold": str(f)} for rule in RULES for f in range(5)],
        "selected_k": {"all": {}},
    }
    (folder / "metrics_master.json").write_text(json.dumps(master), encoding="utf-8")
    per_query_measures = [
        d
        for d in DEFINITIONS
        if d.split("@")[0] in {form.split("@")[0] for form in BY_CUT}
        or d.startswith(("mrr:", "rprec:", "brier:", "utility:"))
        or "macro,rel" in d
    ]
    with (
        gzip.open(folder / "candidates.csv.gz", "wt", encoding="utf-8", newline="") as listed,
        (folder / "gold.csv").open("w", encoding="utf-8", newline="") as gold,
        (folder / "per_query.csv").open("w", encoding="utf-8", newline="") as per_query,
        (folder / "tune.csv").open("w", encoding="utf-8", newline="") as tune,
    ):
        lines = [csv.writer(f, lineterminator="\n") for f in (listed, gold, per_query, tune)]
        thresholds = [f"threshold_{rule}" for rule in (*RULES, "tune")]
        lines[0].writerow([*keys, "item", "score", "grade", "returned"])
        lines[1].writerow([*keys, "item", "grade"])
        decided = ["answered", "n", "gold", "has_evidence", "prob", "selected_k", "state"]
        lines[2].writerow([*keys, "fold", *decided, *thresholds, *per_query_measures])
        lines[3].writerow(["post_id", "fold", "prob", "label"])
        for post in range(posts):
            for criterion in range(CRITERIA):
                key = [f"post{post:05d}", f"A.{criterion}"]
                label = rng.random() < 0.0934
                prob = min(max(rng.gauss(0.45 if label else 0.12, 0.18), 0.001), 0.999)
                state = "NEG" if prob < 0.1 else "POS" if prob > 0.6 else "UNCERTAIN"
                k = 0 if state == "NEG" else min(rng.randint(1, 5), candidates)
                right = set(rng.sample(range(candidates), 2)) if label else set()
                for item in range(candidates):
                    score = round(rng.random() + 0.4 * (item in right), 3)
                    name = f"post{post:05d}.s{item:03d}"
                    grade = "1" if item in right else ""
                    lines[0].writerow([*key, name, score, grade, 0])
                    if item in right:
                        lines[1].writerow([*key, name, 1])
                row = [1, candidates, len(right), int(label), prob, k, state]
                values = [0.5] * (len(thresholds) + len(per_query_measures))
                lines[2].writerow([*key, post % 5, *row, *values])
                if post % 4 == 0:
                    for fold in range(5):
                        lines[3].writerow([f"tune{post}", fold, prob, int(label)])
    with (folder / "draws.jsonl").open("w", encoding="utf-8") as stream:
        units = [f"post{post:05d}" for post in range(posts)]
        print(json.dumps({"units": units, "unit": "post"}), file=stream)
        for _ in range(draws):
            counts = [0] * posts
            for _ in range(posts):
                counts[rng.randrange(posts)] += 1
            print(json.dumps(counts), file=stream)


def _entry(definition: str) -> dict[str, Any]:
    exact = {"level": 0.95, "low": 0, "high": 0} if definition.startswith(RATES) else None
    return {
        "name": definition,
        "definition": definition,
        "value": 0,
        "aggregate": "fold_mean",
        "pooled": 0,
        "n": 0,
        "by_convention": {},
        "spread": {} if definition.startswith(("ndcg", "map")) else None,
        "folds": {"values": {}, "mean": 0, "std": 0, "by_convention": 0},
        "tie_sensitive": 0,
        "interval": {},
        "exact": exact,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--posts", type=int, default=1477)
    parser.add_argument("--candidates", type=int, default=20)
    parser.add_argument("--draws", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_bundle(folder, given.posts, given.candidates, given.draws)
        command = [sys.executable, "-m", "assay_oracle", str(folder)]
        if given.draws:
            command += ["--draws", str(folder / "draws.jsonl")]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{given.posts * CRITERIA} queries × {given.candidates} candidates, {given.draws} draws")
    print(f"{len(DEFINITIONS)} measures, {len(json.loads(done.stdout))} findings")
    print(f"{used.ru_utime + used.ru_stime:.1f} s CPU, {used.ru_maxrss / 1024:.0f} MB peak")


if __name__ == "__main__":
    main()
