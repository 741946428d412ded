"""What is fuzzed: commands, the files that they read, and what they may write."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from assay.cli.app import parser
from tests.fuzz import nasty

CHECKS = ("verify", "gate", "audit", "lint")
"""Commands for which exit code 1 means that a check failed."""
FULL, SMALL, PLAIN, LABELS, OLD, TASK, GROUPS, WARD = (
    f"bundles/{name}" for name in ("full", "small", "plain", "labels", "old", "task", "groups", "ward")
)
SQUAD2 = ("--task", "squad2", "--data", "tasks/squad2.json", "--na-prob", "tasks/na_prob.json")
CORPUS = ("--corpus", "example/corpus")
WORK = (
    "--ci",
    "--resamples",
    "--draws",
    "--processes",
    "--posts",
    "--shuffles",
    "--seed",
    "--n",
    "--positives",
)
WRITES = ("-o", "--output", "--per-query", "--junit", "--summary")
NEVER = ("-h", "--help", "--open", "--pipeline", "--version")
"""Options that are not tried: they print help, open a browser or run for minutes."""


@dataclass(frozen=True, slots=True)
class Target:
    """A command line, and the files and folders that it reads."""

    name: str
    arguments: tuple[str, ...]
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    weight: int = 4
    seconds: float = 10.0

    @property
    def command(self) -> str:
        """The command, such as `evaluate`."""
        return self.arguments[0]


TARGETS = (
    Target("corpus", ("evaluate", "example/predictions", *CORPUS), ("example/corpus",), weight=6),
    Target(
        "predictions",
        ("evaluate", "example/predictions", *CORPUS, "--by", "criterion_id"),
        ("example/predictions",),
        weight=6,
    ),
    Target("tune", ("evaluate", "tuned", *CORPUS, "--json"), ("tuned",)),
    Target(
        "own column",
        ("evaluate", "example/predictions", "--corpus", "ward", "--by", "ward", "--no-report", "-o", "out"),
        ("ward/queries.csv",),
        ("out",),
        weight=2,
    ),
    Target("verify own column", ("verify", WARD), (WARD,), weight=2),
    Target("audit decisions", ("audit", WARD), (WARD,), weight=1),
    Target("parquet", ("evaluate", "packed", *CORPUS, "--json"), ("packed",)),
    Target("bootstrap", ("evaluate", "tuned", *CORPUS, "--ci", "20", "-m", "auroc"), ("tuned",), weight=2),
    Target(
        "trec",
        ("evaluate", "--qrels", "example/qrels.txt", "--run", "example/run.txt"),
        ("example/qrels.txt", "example/run.txt"),
        weight=6,
    ),
    Target(
        "graded",
        (
            "evaluate",
            "--qrels",
            "example/qrels.txt",
            "--run",
            "example/run.txt",
            "--contract",
            "trec_eval/10",
        ),
        ("example/qrels.txt", "example/run.txt"),
    ),
    Target(
        "exponential",
        (
            "evaluate",
            "--qrels",
            "example/qrels.txt",
            "--run",
            "example/run.txt",
            "--contract",
            "contract.toml",
        ),
        ("example/qrels.txt", "example/run.txt", "contract.toml"),
    ),
    Target(
        "beir",
        ("evaluate", "--qrels", "beir", "--run", "run.parquet", "--split", "test"),
        ("beir", "run.parquet"),
    ),
    Target(
        "qrels.parquet",
        ("evaluate", "--qrels", "qrels.parquet", "--run", "run.parquet"),
        ("qrels.parquet", "run.parquet"),
    ),
    Target(
        "qrels.csv",
        ("evaluate", "--qrels", "qrels.csv", "--run", "run.csv", "--run-columns", "score=sim"),
        ("qrels.csv", "run.csv"),
    ),
    Target(
        "no header", ("evaluate", "--qrels", "qrels.tsv", "--run", "run.jsonl"), ("qrels.tsv", "run.jsonl")
    ),
    Target(
        "qrels.json", ("evaluate", "--qrels", "qrels.json", "--run", "run.json"), ("qrels.json", "run.json")
    ),
    Target(
        "labels.json",
        ("compare", "--decisions", "labels.json", "labels.jsonl", "--resamples", "50"),
        ("labels.json", "labels.jsonl"),
    ),
    Target(
        "labels.tsv", ("evaluate", "--decisions", "labels.tsv", "--group", "group"), ("labels.tsv",), weight=2
    ),
    Target(
        "labels",
        ("evaluate", "--decisions", "labels.csv", "--group", "group", "--fold", "fold"),
        ("labels.csv",),
    ),
    Target(
        "labels.parquet",
        ("evaluate", "--decisions", "labels.parquet", "--json"),
        ("labels.parquet",),
        weight=2,
    ),
    Target(
        "save",
        ("evaluate", "example/predictions", *CORPUS, "--no-report", "-o", "out", "--per-query", "rows.csv"),
        ("example",),
        ("out", "rows.csv"),
        weight=2,
    ),
    Target("save with report", ("evaluate", "tuned", *CORPUS, "-o", "out"), ("tuned",), ("out",), weight=1),
    Target("roles", ("evaluate", "single", *CORPUS, "--json"), ("single",), weight=3),
    Target(
        "tune share",
        ("evaluate", "--decisions", "plain.csv", "--group", "group", "--tune-share", "0.5"),
        ("plain.csv",),
        weight=2,
    ),
    Target(
        "memory",
        ("evaluate", "--qrels", "example/qrels.txt", "--run", "example/run.txt", "--memory", "1GB"),
        ("example/qrels.txt", "example/run.txt"),
        weight=3,
    ),
    Target("contract", ("contract", "show", "contract.toml"), ("contract.toml",)),
    Target("contract diff", ("contract", "diff", "assay/1", "contract.toml"), ("contract.toml",), weight=1),
    Target("contract list", ("contract", "list"), weight=1),
    Target("metric", ("metric", "show", "ndcg@10"), weight=2),
    Target("metric list", ("metric", "list"), weight=1),
    Target(
        "compare",
        (
            "compare",
            "example/predictions",
            "tuned",
            *CORPUS,
            "--resamples",
            "50",
            "--allow-different",
            "queries",
        ),
        ("example/predictions", "tuned"),
        weight=2,
    ),
    Target("compare bundles", ("compare", FULL, FULL, "--resamples", "50"), (FULL,), weight=2),
    Target(
        "compare labels",
        ("compare", "--decisions", "labels.csv", "labels.parquet", "--resamples", "50"),
        ("labels.csv", "labels.parquet"),
        weight=2,
    ),
    Target("verify", ("verify", FULL, "--draws", "5"), (FULL,), weight=8),
    Target("verify small", ("verify", SMALL), (SMALL,), weight=5),
    Target("verify plain", ("verify", PLAIN, "--draws", "3"), (PLAIN,)),
    Target("verify labels", ("verify", LABELS), (LABELS,)),
    Target(
        "verify inputs",
        ("verify", SMALL, "--predictions", "example/predictions", *CORPUS),
        (SMALL, "example"),
        weight=2,
    ),
    Target(
        "gate",
        ("gate", FULL, "--junit", "junit.xml"),
        (FULL,),
        (f"{FULL}/gate.json", f"{FULL}/report.html", f"{FULL}/REPORT.json", "junit.xml"),
    ),
    Target("gate small", ("gate", SMALL), (SMALL,), (f"{SMALL}/gate.json",)),
    Target(
        "gate against",
        (
            *("gate", FULL, "--against", OLD, "--allow", "auroc=-0.01,ndcg@5=-0.02"),
            *("--resamples", "50", "--summary", "summary.md"),
        ),
        (FULL, OLD),
        ("summary.md",),
        weight=3,
    ),
    Target("show", ("show", FULL), (FULL,), weight=2),
    Target("show worst", ("show", FULL, "--worst", "3", "-m", "ndcg@5"), (FULL,), weight=2),
    Target(
        "show query",
        ("show", FULL, "--query", "p01/sleep", "--with-text", "example/corpus"),
        (FULL, "example/corpus"),
        weight=3,
    ),
    Target("show groups", ("show", SMALL, "--by", "criterion_id", "--json"), (SMALL,), weight=1),
    Target("completion", ("completion", "bash"), weight=1),
    Target(
        "report",
        ("report", SMALL),
        (SMALL,),
        (f"{SMALL}/tables", f"{SMALL}/figures", f"{SMALL}/report.html", f"{SMALL}/REPORT.json"),
        weight=1,
    ),
    Target(
        "page",
        ("report", FULL, SMALL, "-o", "page.html", "--with-text", "example/corpus"),
        (FULL, SMALL, "example/corpus"),
        ("page.html",),
        weight=3,
    ),
    Target("audit corpus", ("audit", "example/corpus"), ("example/corpus",), weight=2),
    Target(
        "audit predictions",
        ("audit", "example/corpus", "--predictions", "tuned"),
        ("example/corpus", "tuned"),
        weight=3,
    ),
    Target("audit bundle", ("audit", FULL), (FULL,), weight=3),
    Target(
        "audit plan",
        ("audit", "plan/plan.toml", "--shuffles", "2"),
        ("plan/plan.toml",),
        weight=1,
        seconds=40.0,  # it runs the pipeline several times
    ),
    Target("lint csv", ("lint", "figures.csv"), ("figures.csv", "figures.csv.lint.toml")),
    Target("lint markdown", ("lint", "figures.md"), ("figures.md",), weight=2),
    Target("lint json", ("lint", "figures.json", "--json"), ("figures.json",), weight=2),
    Target(
        "lint result", ("lint", f"{FULL}/metrics_master.json"), (f"{FULL}/metrics_master.json",), weight=2
    ),
    Target(
        "import redsm5",
        ("import", "redsm5", "posts.csv", "annotations.csv", "-o", "out"),
        ("posts.csv", "annotations.csv"),
        ("out",),
    ),
    Target("import squad2", ("import", "squad2", "squad.json", "-o", "out"), ("squad.json",), ("out",)),
    Target("import contractnli", ("import", "contractnli", "nli.json", "-o", "out"), ("nli.json",), ("out",)),
    Target("import jsonl", ("import", "jsonl", "queries.jsonl", "-o", "out"), ("queries.jsonl",), ("out",)),
    Target("log", ("evaluate", "log.jsonl", "--json"), ("log.jsonl",), weight=6),
    Target("ragas", ("evaluate", "ragas.jsonl"), ("ragas.jsonl",), weight=3),
    Target("deepeval", ("evaluate", "deepeval.json"), ("deepeval.json",), weight=3),
    Target("inspect", ("evaluate", "inspect.json"), ("inspect.json",), weight=3),
    Target(
        "save log", ("evaluate", "log.jsonl", "--no-report", "-o", "out"), ("log.jsonl",), ("out",), weight=2
    ),
    Target(
        "import log",
        ("import", "log", "log.jsonl", "-o", "out", "--map", "question=question"),
        ("log.jsonl",),
        ("out",),
    ),
    Target("audit shared", ("audit", "shared"), ("shared",), weight=2),
    Target(
        "per-query table",
        ("verify", "--per-query", "results.csv", "--claims", "claims.md"),
        ("results.csv", "claims.md"),
        weight=5,
    ),
    Target(
        "per-query lines",
        ("verify", "--per-query", "results.jsonl", "--claims", "claims.json", "--json"),
        ("results.jsonl", "claims.json"),
        weight=3,
    ),
    Target(
        "run",
        ("run", "plan/plan.toml", "-o", "out", "--processes", "1", "--no-report"),
        ("plan",),
        ("out",),
        weight=2,
    ),
    Target(
        "ablate",
        ("ablate", "plan/plan.toml", "-o", "out", "--processes", "1"),
        ("plan/plan.toml",),
        ("out",),
        weight=1,
    ),
    Target(
        "split",
        ("run", "plan/split.toml", "-o", "out", "--processes", "1", "--no-report"),
        ("plan",),
        ("out",),
        weight=2,
    ),
    Target(
        "fold job",
        ("run", "plan/plan.toml", "-o", "out", "--processes", "1", "--folds", "1"),
        ("plan",),
        ("out",),
        weight=1,
    ),
    Target(
        "own stage",
        ("run", "plan/own.toml", "-o", "out", "--processes", "1", "--no-report"),
        ("plan/own.toml", "plan/corpus"),
        ("out",),
        weight=2,
    ),
    Target(
        "run again",
        ("run", "plan/plan.toml", "-o", "done", "--processes", "1", "--no-report"),
        ("plan/plan.toml", "done"),
        ("done",),
        weight=3,
    ),
    Target(
        "predictions of a run",
        ("evaluate", "done/predictions", "--corpus", "plan/corpus", "-m", "ndcg@5"),
        ("done/predictions",),
        weight=2,
    ),
    Target(
        "learning curve",
        ("ablate", "plan/plan.toml", "-o", "out", "--processes", "1", "--learning-curve", "--sizes", "4"),
        ("plan/plan.toml",),
        ("out",),
        weight=1,
    ),
    Target(
        "criterion effect",
        ("ablate", "plan/plan.toml", "-o", "out", "--processes", "1", "--with-and-without", "A.1"),
        ("plan/plan.toml",),
        ("out",),
        weight=1,
    ),
    Target(
        "seeds",
        ("ablate", "plan/plan.toml", "-o", "out", "--processes", "1", "--seeds", "0,1"),
        ("plan/plan.toml",),
        ("out",),
        weight=1,
    ),
    Target(
        "squad2",
        ("evaluate", "tasks/answers.json", *SQUAD2),
        ("tasks/answers.json", "tasks/squad2.json", "tasks/na_prob.json"),
        weight=4,
    ),
    Target(
        "fever",
        ("evaluate", "tasks/fever.jsonl", "--task", "fever", "--ci", "10"),
        ("tasks/fever.jsonl",),
        weight=3,
    ),
    Target(
        "fever with gold",
        ("evaluate", "tasks/fever.jsonl", "--task", "fever", "--data", "tasks/fever_gold.jsonl", "--json"),
        ("tasks/fever.jsonl", "tasks/fever_gold.jsonl"),
        weight=2,
    ),
    Target(
        "scifact",
        ("evaluate", "tasks/scifact.jsonl", "--task", "scifact", "--data", "tasks/scifact_gold.jsonl"),
        ("tasks/scifact.jsonl", "tasks/scifact_gold.jsonl"),
    ),
    Target(
        "nomiracl",
        (
            *("evaluate", "--task", "nomiracl", "--relevant", "tasks/relevant.jsonl"),
            *("--non-relevant", "tasks/non_relevant.jsonl"),
        ),
        ("tasks/relevant.jsonl", "tasks/non_relevant.jsonl"),
        weight=3,
    ),
    Target(
        "erisk",
        (
            *("evaluate", "--task", "erisk", "--qrels", "tasks/majority.csv", "--run", "tasks/erisk.txt"),
            *("--consensus", "tasks/consensus.csv"),
        ),
        ("tasks/majority.csv", "tasks/consensus.csv", "tasks/erisk.txt"),
        weight=3,
    ),
    Target(
        "save task",
        ("evaluate", "tasks/fever.jsonl", "--task", "fever", "-o", "out"),
        ("tasks/fever.jsonl",),
        ("out",),
        weight=1,
    ),
    Target("verify task", ("verify", TASK, "--draws", "3"), (TASK,)),
    Target(
        "verify task inputs",
        ("verify", TASK, *SQUAD2, "--predictions", "tasks/answers.json"),
        (TASK, "tasks/answers.json", "tasks/squad2.json", "tasks/na_prob.json"),
        weight=2,
    ),
    Target(
        "groups",
        ("evaluate", "example/predictions", "--corpus", "grouped", "-m", "evidence_group_recall@5:rel=1"),
        ("grouped/gold.csv",),
    ),
    Target("verify groups", ("verify", GROUPS), (GROUPS,), weight=3),
    Target("gate task", ("gate", TASK), (TASK,), (f"{TASK}/gate.json",), weight=1),
    Target(
        "save comparison",
        ("compare", FULL, OLD, "--resamples", "20", "-o", "out", "-m", "ndcg@5", "-m", "auroc"),
        (FULL, OLD),
        ("out",),
        weight=2,
    ),
    Target(
        "expected ties",
        (
            *("evaluate", "--qrels", "example/qrels.txt", "--run", "example/run.txt"),
            *("--ties", "expected", "-m", "ndcg@10,map@10,bpref,compatibility:p=0.95"),
        ),
        ("example/qrels.txt", "example/run.txt"),
        weight=3,
    ),
    Target(
        "gains",
        (
            *("evaluate", "--qrels", "example/qrels.txt", "--run", "example/run.txt"),
            *("-m", "ndcg@10:gains=0:0/1:1/2:3", "-m", "err@10"),
        ),
        ("example/qrels.txt", "example/run.txt"),
        weight=2,
    ),
    Target(
        "suppressed page",
        ("report", SMALL, "-o", "page.html", "--suppress-below", "3"),
        (SMALL,),
        ("page.html",),
        weight=1,
    ),
    Target("explained", ("show", "done/bundle", "--worst", "2"), ("done/bundle",), weight=2),
    Target(
        "explanations",
        ("report", "done/bundle", "-o", "page.html", "--with-text", "plan/corpus"),
        ("done/bundle", "plan/corpus"),
        ("page.html",),
        weight=2,
    ),
    Target("synth", ("synth", "-o", "out", "--posts", "20"), (), ("out",), weight=1),
    Target("demo", ("demo",), weight=1),
)


@cache
def options_of(command: str, action: str = "") -> tuple[argparse.Action, ...]:
    """Return the options of a command, as its parser knows them."""
    found = _choices(parser())[command]
    if command in ("contract", "metric"):
        found = _choices(found)[action]
    return tuple(
        each for each in found._actions if each.option_strings and not set(each.option_strings) & set(NEVER)
    )


def _choices(top: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    return next(each.choices for each in top._actions if isinstance(each, argparse._SubParsersAction))


def more_options(target: Target, rng: Random) -> tuple[str, ...]:
    """Return one or two options with a value that nobody would give."""
    known = options_of(target.command, target.arguments[1] if len(target.arguments) > 1 else "")
    if not known:
        return ()
    added: list[str] = []
    for _ in range(rng.choice((1, 1, 2))):
        option = rng.choice(known)
        name = option.option_strings[-1]
        added.append(name)
        if option.nargs != 0:
            added.append(_value(option.option_strings, rng))
    return tuple(added)


def _value(names: Sequence[str], rng: Random) -> str:
    if set(names) & set(WRITES):
        return rng.choice(nasty.NAMES)
    if set(names) & set(WORK):
        return rng.choice(nasty.WHOLE)
    measures = (
        "ndcg@1000000000",
        "ece:bins=100000000000",
        "map@0",
        "recall@²",
        "auroc",
        "f@5:beta=1e308",
        "p@5:rel=9999999999999999999999",
        "rbp:p=0.999999999999",
        "err@5:gmax=1e308",
        "nope",
        "ndcg@all:gain=exponential",
        "cost:fp=1e308",
        "1GB",
        "1e30TB",
        "local[4",
        "local[1000000000]",
        "auroc=-0.01,nope=1",
        "p01/sleep",
        "question=question,gold=nope",
        "net_benefit:at=1",
        "f1:at=tune_x",
        "ndcg@5:gains=" + "/".join(f"{grade}:{grade}" for grade in range(2000)),
        "compatibility:p=0.9999999999999999",
        "prevalence_ppv@2",
        "prevalence_npv@0.0",
        "evidence_group_recall@1000000000:rel=1",
        "expected",
        "1B",
    )
    return rng.choice((*nasty.NUMBERS, *nasty.TEXTS, *measures, "1000000000", "10" * 10)).replace("\0", "0")
