"""The inputs that are mutated, made on the fly: the package's example and small files of each kind.

Made in a separate process: the one that forks commands must not have used Polars.
"""

from __future__ import annotations

import json
import shutil
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import polars as pl

import assay
from assay.cli.app import run
from tests.fuzz import log_seeds, task_seeds

EXAMPLE = Path(assay.__file__).parent / "example"

CONTRACT = """id = "mine/1"
title = "mine"
ties = "docno_desc"
aggregate = "pooled"
k = [1, 5]
k_primary = [5]
k_ceiling = true
exclude_criteria = ["fatigue"]
[expected]
queries = 36
[thresholds]
deployment = "fpr_0.05"
confidence = 0.9
[targets]
auroc = ">= 0.85"
[measures]
"ndcg@{k}" = "ndcg@{k}:gain=exponential"
"map@{k}" = "map@{k}:denominator=hits,rel=1"
auroc = "auroc"
ece = "ece:bins=5"
f1 = "f1:at=0.5"
"""
PLAN = """corpus = "corpus"
contract = "assay/1"
stages = ["lexical", "matching", "scorer"]
[protocol]
folds = 2
train = 0.6
crossfit = 2
seed = 1
exclude = []
resamples = 10
[lexical]
k1 = 1.2
b = 0.75
"""
SPLIT = PLAN.replace("folds = 2\ntrain = 0.6", 'kind = "split"\nshares = [0.5, 0.25, 0.25]')
OWN = PLAN.replace('"scorer"]', '"own_stage:Longest"]')
STAGE = """import assay
import numpy as np


class Longest(assay.Stage):
    name = "longest"
    needs = ("match",)
    gives = ("words",)
    ranks = "words"
    reads = True

    def apply(self, view):
        _, sentences = view.texts()
        return {"words": np.array([float(len(each.split())) for each in sentences])}

    def explain(self, view, top):
        words = self.apply(view)["words"][top][:, None]
        return (assay.Explanation("ranking", ("words",), words, words),)
"""
FIGURES = """measure,k=1,k=5,k=10
nDCG,0.65,0.71,0.8206
Recall,0.41,0.83,0.95
P,0.66,0.33,0.17
MRR,0.72,,
AUROC,0.854 ± 0.01,,
"""
MARKDOWN = """# Results

| system | nDCG@10 | AUROC | ECE | [95% CI] |
|---|---:|---:|---:|---|
| bm25 | .733 | 0.81 | 3.1% | [0.70, 0.77] |
| gnn (+10.48 %) | .8206 | 0.854 | 0.04 | [0.80, 0.84] |
"""
SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "t",
            "paragraphs": [
                {
                    "context": "Oslo is cold. It snows there. Rome is warm.",
                    "qas": [
                        {
                            "id": "q1",
                            "question": "Where is it cold?",
                            "is_impossible": False,
                            "answers": [{"text": "Oslo", "answer_start": 0}],
                        },
                        {"id": "q2", "question": "Where is Bonn?", "is_impossible": True, "answers": []},
                    ],
                }
            ],
        }
    ],
}
NLI = {
    "labels": {"nda-1": {"hypothesis": "It is secret.", "short_description": "s"}},
    "documents": [
        {
            "id": 1,
            "text": "All is secret. Nothing is free.",
            "spans": [[0, 14], [15, 31]],
            "annotation_sets": [{"annotations": {"nda-1": {"choice": "Entailment", "spans": [0]}}}],
        }
    ],
}
QUERIES = (
    {"post": "a", "criterion": "c1", "sentences": ["One.", "Two."], "evidence": [1]},
    {"post": "a", "criterion": "c2", "criterion_text": "Two", "sentences": ["One.", "Two."], "evidence": []},
    {"post": "b", "criterion": "c1", "text": "Here it is. There it was.", "evidence": [0]},
)


def make(folder: Path, *, quick: bool = False) -> None:
    """Write every seed below a folder; `quick` leaves out the report of the full bundle."""
    shutil.copytree(EXAMPLE, folder / "example", ignore=shutil.ignore_patterns("*.py", "__*", "*.md"))
    example = folder / "example"
    _tables(folder, example)
    _texts(folder)
    corpus = ["--corpus", str(example / "corpus")]
    predictions = str(folder / "tuned")
    _call("synth", "-o", str(folder / "plan" / "corpus"), "--posts", "20")
    (folder / "plan" / "corpus" / "folds.csv").unlink()  # two folds take less time than five
    _call("run", str(folder / "plan" / "plan.toml"), "-o", str(folder / "done"), "--no-report")
    _call("evaluate", predictions, *corpus, "--no-report", "-o", str(folder / "bundles" / "old"))
    _call(
        "evaluate",
        predictions,
        *corpus,
        "--ci",
        "20",
        "-o",
        str(folder / "bundles" / "full"),
        *(["--no-report"] if quick else []),
    )
    _call(
        "evaluate",
        str(example / "predictions"),
        *corpus,
        "--no-report",
        "-m",
        "auroc",
        "-m",
        "ndcg@5",
        "-o",
        str(folder / "bundles" / "small"),
    )
    _call(
        "evaluate",
        "--qrels",
        str(example / "qrels.txt"),
        "--run",
        str(example / "run.txt"),
        "--no-report",
        "--ci",
        "10",
        "-o",
        str(folder / "bundles" / "plain"),
    )
    _call(
        "evaluate",
        "--decisions",
        str(folder / "labels.csv"),
        "--group",
        "group",
        "--fold",
        "fold",
        "--no-report",
        "-o",
        str(folder / "bundles" / "labels"),
    )
    tasks = folder / "tasks"
    task = (
        "--task",
        "squad2",
        "--data",
        str(tasks / "squad2.json"),
        "--na-prob",
        str(tasks / "na_prob.json"),
    )
    bundle = ("--no-report", "-o", str(folder / "bundles" / "task"))
    _call("evaluate", str(tasks / "answers.json"), *task, "--ci", "10", *bundle)
    bundle = ("--no-report", "-o", str(folder / "bundles" / "groups"))
    _call("evaluate", str(example / "predictions"), "--corpus", str(folder / "grouped"), *bundle)
    bundle = ("--no-report", "-o", str(folder / "bundles" / "ward"))
    _call("evaluate", str(example / "predictions"), "--corpus", str(folder / "ward"), "--by", "ward", *bundle)


def _call(*arguments: str) -> None:
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        run(list(arguments))


def _texts(folder: Path) -> None:
    texts = {
        "contract.toml": CONTRACT,
        "plan/plan.toml": PLAN,
        "plan/split.toml": SPLIT,
        "plan/own.toml": OWN,
        "plan/own_stage.py": STAGE,
        "figures.csv": FIGURES,
        "figures.md": MARKDOWN,
        "figures.json": json.dumps({"bm25": {"ndcg@10": 0.733, "auroc": [0.8, 0.9]}, "n": 100}),
        "figures.csv.lint.toml": 'n = 500\npositives = 50\nfolds = "5"\ngraded = false\n',
        "squad.json": json.dumps(SQUAD),
        "nli.json": json.dumps(NLI),
        "queries.jsonl": "".join(json.dumps(each) + "\n" for each in QUERIES),
        **log_seeds.texts(),
        **task_seeds.texts(),
        "posts.csv": 'post_id,text\ns1,"I am sad. I sleep badly."\ns2,All is fine.\n',
        "annotations.csv": "post_id,sentence_id,sentence_text,DSM5_symptom,status\n"
        "s1,s1_0,I am sad.,MOOD,1\ns1,s1_1,I sleep badly.,SLEEP,1\ns2,s2_0,All is fine.,MOOD,0\n",
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _tables(folder: Path, example: Path) -> None:
    candidates = pl.read_csv(example / "predictions" / "candidates.csv")
    decisions = pl.read_csv(example / "predictions" / "decisions.csv")
    tuned = folder / "tuned"
    tuned.mkdir()
    later = pl.col("post_id") >= "p10"
    candidates.filter(~later).write_csv(tuned / "candidates.csv")
    decisions.filter(~later).write_csv(tuned / "decisions.csv")
    decisions.filter(later).select("post_id", "criterion_id", "prob").write_csv(tuned / "tune.csv")
    labels = decisions.with_row_index("at").select(
        (pl.col("at") % 3 == 0).cast(pl.Int8).alias("label"),
        "prob",
        (pl.col("at") // 4).alias("group"),
        (pl.col("at") // 12).alias("fold"),
        pl.when(pl.col("at") % 9 < 6).then(pl.lit("EVAL")).otherwise(pl.lit("TUNE")).alias("role"),
    )
    labels = labels.with_columns(pl.col("group").cast(pl.String) + pl.col("role"))
    labels.write_csv(folder / "labels.csv")
    labels.drop("role").write_csv(folder / "plain.csv")
    single = folder / "single"
    single.mkdir()
    candidates.filter(later).write_csv(single / "candidates.csv")
    decisions.filter(later).write_csv(single / "decisions.csv")
    posts = candidates.select("post_id").unique(maintain_order=True)
    posts.select(
        "post_id", pl.when(later).then(pl.lit("EVAL")).otherwise(pl.lit("TRAIN")).alias("role")
    ).write_csv(single / "roles.csv")
    labels.write_parquet(folder / "labels.parquet")
    beir = folder / "beir" / "qrels"
    beir.mkdir(parents=True)
    qrels = [line.split() for line in (example / "qrels.txt").read_text().splitlines() if line[0] != "#"]
    run = [line.split() for line in (example / "run.txt").read_text().splitlines() if line[0] != "#"]
    (beir / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t{g}\n" for q, _, d, g in qrels)
    )
    pl.DataFrame(
        {"query_id": [r[0] for r in run], "doc_id": [r[2] for r in run], "score": [float(r[4]) for r in run]}
    ).write_parquet(folder / "run.parquet")
    judged = pl.DataFrame(
        {
            "query_id": [r[0] for r in qrels],
            "doc_id": [r[2] for r in qrels],
            "grade": [int(r[3]) for r in qrels],
        }
    )
    judged.with_columns(pl.lit("test").alias("split")).write_parquet(folder / "qrels.parquet")
    _formats(folder, judged, pl.read_parquet(folder / "run.parquet"), labels)
    packed = folder / "packed"
    packed.mkdir()
    candidates.write_parquet(packed / "candidates.parquet")
    decisions.write_parquet(packed / "decisions.parquet")
    _odd_types(folder / "odd", candidates)
    _grouped(folder / "grouped", example / "corpus")
    shutil.copytree(example / "corpus", folder / "ward")
    asked = decisions.select("post_id", "criterion_id").with_row_index("ward")
    wards = pl.when(pl.col("ward") % 4 > 0).then(pl.col("ward") % 4)  # numbers, and some empty
    asked.with_columns(wards).write_csv(folder / "ward" / "queries.csv")


def _grouped(folder: Path, corpus: Path) -> None:
    """A corpus whose gold has evidence groups, some of several sentences, and sentences in two of them."""
    shutil.copytree(corpus, folder)
    gold = pl.read_csv(folder / "gold.csv").with_row_index("at")
    groups = pl.when(pl.col("at") % 3 == 0).then(None).otherwise(pl.lit("g"))
    named = gold.with_columns(groups.alias("group"))
    again = gold.filter(pl.col("at") % 4 == 0).with_columns(pl.lit("h").alias("group"))
    pl.concat([named, again]).drop("at").write_csv(folder / "gold.csv")


def _formats(folder: Path, judged: pl.DataFrame, run: pl.DataFrame, labels: pl.DataFrame) -> None:
    """Judgements, a run and labels in every format that is recognised."""
    judged.rename({"query_id": "QID", "doc_id": "DocNo"}).write_csv(folder / "qrels.csv", separator=";")
    judged.write_csv(folder / "qrels.tsv", separator="\t", include_header=False)
    by_query = {
        name: dict(zip(rows["doc_id"], rows["grade"], strict=True))
        for (name,), rows in judged.group_by("query_id", maintain_order=True)
    }
    (folder / "qrels.json").write_text(json.dumps(by_query))
    run.rename({"score": "sim"}).write_csv(folder / "run.csv", separator="|")
    (folder / "run.json").write_text(json.dumps(run.to_dict(as_series=False)))
    run.rename({"query_id": "topic", "doc_id": "pid"}).write_ndjson(folder / "run.jsonl")
    words = labels.with_columns(pl.col("label").cast(pl.Boolean).cast(pl.String))
    words.write_csv(folder / "labels.tsv", separator="\t")
    (folder / "labels.json").write_text(json.dumps(labels.to_dicts()))
    labels.write_ndjson(folder / "labels.jsonl")


def _odd_types(folder: Path, candidates: pl.DataFrame) -> None:
    """Candidates whose columns are of every type that Parquet has."""
    folder.mkdir()
    changes = {
        "binary": pl.col("post_id").cast(pl.Binary),
        "list": pl.col("sent_uid").implode().over("sent_uid"),
        "struct": pl.struct(pl.col("post_id")).alias("post_id"),
        "category": pl.col("criterion_id").cast(pl.Categorical),
        "date": pl.lit(1).cast(pl.Date).alias("score"),
        "duration": pl.lit(1).cast(pl.Duration).alias("score"),
        "decimal": pl.col("score").cast(pl.Decimal(20, 3)),
        "null": pl.lit(None).alias("score"),
        "boolean": pl.lit(True).alias("score"),
        "float_id": pl.lit(1.5).alias("post_id"),
        "time": pl.lit(1).cast(pl.Time).alias("sent_uid"),
    }
    for name, change in changes.items():
        candidates.with_columns(change).write_parquet(folder / f"{name}.parquet")


if __name__ == "__main__":
    make(Path(sys.argv[1]), quick="quick" in sys.argv[2:])
