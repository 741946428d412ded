"""Quality of the reference pipeline on real data: mean ± std over the EVAL folds, with baselines.

`make bench-quality` runs every configuration of benchmarks/quality/ on every corpus found in
../shared/data and writes benchmarks/quality.md. Settings are the same for all corpora.

A configuration is a TOML file without `corpus`. Comments at its head describe it: `# title: …`;
`# needs: torch …`, modules without which it is left out; `# target: default` or `extras`;
`# without: NAME`, a configuration that lacks one part, for comparison.

`--keep FOLDER` keeps predictions and measurements; a configuration that is kept there is not run
again, so the benchmark can be run in parts (`--only`, `--corpora`). `--before FOLDER` compares with
the predictions of another version of the code, kept in the same way, paired by post.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assay.evaluation.comparison.compare import compare

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "shared" / "data"
TARGETS = tomllib.loads((HERE / "quality.toml").read_text())
RANKED = ("ndcg@10", "recall@10", "auroc", "auprc")
GATE = ("screening_sensitivity", "neg_rate", "alert_precision", "pos_rate", "ece", "ece_floor")
SWEPT = ("selected_k_mean", "selected_k_mean_returned", "evidence_recall", "evidence_precision")
MEASURED = "measured.json"
HEAD = """# Quality of the reference pipeline

Written by `make bench-quality`: 5 outer folds, TRAIN 56%, TUNE 24%, EVAL 20% of the posts, mean
± std over the EVAL folds. Settings are the same for all corpora. Random and original order, BM25
alone and the highest score as gate are the baselines, the oracle is the upper bound. CPU seconds
are the sum over all processes of a run, memory is the highest total (two folds at a time).
"""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A configuration and the fields of its head."""

    name: str
    text: str
    head: dict[str, str]

    @classmethod
    def read(cls, path: Path) -> Snippet:
        text = path.read_text()
        lines = [line[2:] for line in text.splitlines() if line.startswith("# ") and ": " in line]
        return cls(path.stem, text, dict(line.split(": ", 1) for line in lines))

    @property
    def missing(self) -> list[str]:
        return [name for name in self.head.get("needs", "").split() if find_spec(name) is None]


@dataclass(frozen=True, slots=True)
class Done:
    """The results and costs of a run of a configuration."""

    snippet: Snippet
    made: dict[str, Any]
    memory: float
    folder: Path


def main() -> None:
    options = _options()
    snippets = [Snippet.read(path) for path in sorted((HERE / "quality").glob("*.toml"))]
    if options.only:
        snippets = [each for each in snippets if each.name in options.only]
    parts = [HEAD]
    for name in options.corpora or TARGETS:
        if not (options.data / name).is_dir():
            print(f"{name} is not in {options.data.name}; left out", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as scratch:
            kept = options.keep / name if options.keep else None
            runs, absent = run_all(name, options.data / name, snippets, Path(scratch), kept)
            before = options.before / name if options.before else None
            parts.append(section(name, options.data / name, runs, absent, before))
        options.output.write_text("\n".join(parts))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    parser.add_argument("--only", nargs="+", metavar="CONFIGURATION")
    parser.add_argument("--corpora", nargs="+", metavar="NAME")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep results here; run only what is not kept"
    )
    parser.add_argument("--before", type=Path, metavar="FOLDER", help="compare with predictions kept there")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "quality.md")
    return parser.parse_args()


def run_all(
    name: str, corpus: Path, snippets: list[Snippet], scratch: Path, kept: Path | None
) -> tuple[list[Done], list[str]]:
    """Run all configurations on one corpus; return the runs, and which are absent and why."""
    runs, absent = [], []
    for snippet in snippets:
        if snippet.missing:
            absent.append(f"{snippet.name} is absent: {', '.join(snippet.missing)} is not installed.")
            continue
        known = _kept(snippet, kept)
        if known is None:
            print(f"{name}, {snippet.name}", file=sys.stderr)
            known = measured(snippet, corpus, scratch / snippet.name)
            if kept is not None:
                _keep(known, kept / snippet.name)
        runs.append(known)
    return runs, absent


def _keep(run: Done, folder: Path) -> None:
    shutil.copytree(run.folder / "predictions", folder / "predictions", dirs_exist_ok=True)
    (folder / MEASURED).write_text(json.dumps({"made": run.made, "memory": run.memory}))


def _kept(snippet: Snippet, kept: Path | None) -> Done | None:
    """Return the run of a configuration that was kept by an earlier call."""
    folder = None if kept is None else kept / snippet.name
    if folder is None or not (folder / MEASURED).is_file():
        return None
    known = json.loads((folder / MEASURED).read_text())
    return Done(snippet, known["made"], known["memory"], folder)


def section(name: str, corpus: Path, runs: list[Done], absent: list[str], before: Path | None) -> str:
    """Return the tables of one corpus."""
    if not runs:
        return "\n".join([f"## {name}", "", *absent, ""])
    blocks = [
        f"## {name}",
        _targets(name, runs),
        _quality(runs),
        _table("gate", GATE, [(each.snippet.name, each.made["values"]) for each in runs]),
        _promises(runs),
        _gammas(runs),
        *_gains(runs, corpus),
        *_changes(runs, corpus, before),
        _costs(runs),
        *absent,
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def measured(snippet: Snippet, corpus: Path, folder: Path) -> Done:
    """Run in a separate process and sample its memory and that of its children."""
    folder.mkdir()
    plan, out = folder / f"{snippet.name}.toml", folder / "out"
    tables = tomllib.loads(snippet.text)
    protocol = "" if "protocol" in tables else "\n[protocol]\nresamples = 0\n"
    plan.write_text(f'corpus = "{corpus.resolve()}"\n{snippet.text}{protocol}')
    command = [sys.executable, str(HERE / "quality_child.py"), str(plan), str(out)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    memory = 0.0
    while child.poll() is None and not (out / "done").exists():
        memory = max(memory, memory_of(child.pid))
        time.sleep(0.2)
    said, _ = child.communicate()
    if child.returncode:
        raise SystemExit(f"{snippet.name} on {corpus.name} failed: run {' '.join(command[1:])}")
    return Done(snippet, json.loads(said), memory, out)


def memory_of(pid: int) -> float:
    """Return the MB of a process and its children, with shared pages divided (Linux)."""
    total = 0.0
    for each in [pid, *_children(pid)]:
        try:
            lines = Path(f"/proc/{each}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    return total


def _children(pid: int) -> list[int]:
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
        listed = [Path(f"/proc/{pid}/task/{task}/children").read_text().split() for task in tasks]
    except OSError:
        return []
    own = [int(child) for each in listed for child in each]
    return own + [further for child in own for further in _children(child)]


def _targets(name: str, runs: list[Done]) -> str:
    """Compare results with the targets; of several runs with one target, the best must reach it."""
    lines = []
    for aim, goal in TARGETS.get(name, {}).items():
        mine = [run for run in runs if run.snippet.head.get("target") == aim]
        wanted = " / ".join(f"{each:.3f}" for each in goal)
        best = max(mine, key=lambda run: sum(_reached(run)), default=None)
        for run in sorted(mine, key=lambda run: run is best):
            got = _reached(run)
            text = f"- {run.snippet.head.get('title', run.snippet.name)}: {got[0]:.4f} / {got[1]:.4f}"
            if run is best:
                met = "met" if all(a >= b for a, b in zip(got, goal, strict=True)) else "NOT met"
                text += f", {'the best of them, ' * (len(mine) > 1)}at least {wanted}: {met}"
            lines.append(text)
    return "nDCG@10 / AUROC\n\n" + "\n".join(lines) if lines else ""


def _reached(run: Done) -> list[float]:
    return [run.made["values"][each][0] for each in ("ndcg@10", "auroc")]


def _quality(runs: list[Done]) -> str:
    """Return the baselines once, each configuration with its own highest-score gate, the oracle."""
    first = {row["system"]: row for row in runs[0].made["baselines"]}
    rows = [(name, _floor(first[name])) for name in ("random", "original", "bm25")]
    for run in runs:
        own = {row["system"]: row for row in run.made["baselines"]}
        rows.append((f"{run.snippet.name}, highest score as gate", _floor(own["highest score"])))
        rows.append((f"**{run.snippet.name}**", run.made["values"]))
    rows.append(("oracle", _floor(first["oracle"])))
    return _table("system", RANKED, rows)


def _gammas(runs: list[Done]) -> str:
    rows = []
    for run in runs:
        rows += [(f"{run.snippet.name}, {row['gamma']}", row) for row in run.made["gammas"]]
    return _table("γ", SWEPT, rows)


def _floor(row: dict[str, Any]) -> dict[str, Any]:
    return {name: [row[name], row[f"{name} std"]] for name in RANKED}


def _promises(runs: list[Done]) -> str:
    """Describe τ_neg and τ_pos: in how many folds certified, and what the worst could certify."""
    lines = []
    for run in runs:
        for name in ("tau_neg", "tau_pos"):
            own = [row for row in run.made["thresholds"] if row["threshold"] == name]
            tune = [row for row in own if row["chosen_on"] == "TUNE"]
            pooled = [row for row in own if row["chosen_on"] != "TUNE"]
            if not tune:
                continue
            least = min(tune, key=lambda row: row["units"])
            could = f"; {least['certifiable']:.2%} could be" if least["certifiable"] else ""
            text = f"- {run.snippet.name}, {name} ({least['rule']}): certified in "
            text += f"{sum(row['certified'] for row in tune)} of {len(tune)} folds; "
            text += f"the least has {least['positives']} positives, {least['note']}{could}."
            if pooled:
                rates = [_mean(pooled, "eval"), _mean(pooled, "eval_share")]
                text += f" Pooled by cross-fitting: {rates[0]:.4f} on EVAL at a rate of {rates[1]:.4f}."
            lines.append(text)
    return "\n".join(lines)


def _mean(rows: list[dict[str, Any]], name: str) -> float:
    known = [row[name] for row in rows if row[name] is not None]
    return sum(known) / len(known) if known else float("nan")


def _gains(runs: list[Done], corpus: Path) -> list[str]:
    """Describe what a part adds: a configuration and the one without it, paired by post."""
    by_name = {run.snippet.name: run for run in runs}
    lines = []
    for run in runs:
        other = by_name.get(run.snippet.head.get("without", ""))
        if other is not None:
            names = (other.snippet.name, run.snippet.name)
            lines += _differences(other.folder / "predictions", run.folder / "predictions", names, corpus)
    return ["\n".join(lines)] if lines else []


def _changes(runs: list[Done], corpus: Path, before: Path | None) -> list[str]:
    """Describe the change from another version of the code, paired by post."""
    lines = []
    for run in runs:
        former = before / run.snippet.name / "predictions" if before is not None else None
        if former is not None and former.is_dir():
            names = (f"{run.snippet.name} before", run.snippet.name)
            lines += _differences(former, run.folder / "predictions", names, corpus)
    return ["\n".join(lines)] if lines else []


def _differences(one: Path, other: Path, names: tuple[str, str], corpus: Path) -> list[str]:
    """Compare two folders of predictions; one line per measure."""
    compared = compare(one, other, corpus=corpus, measures=("ndcg@10", "auroc"), names=names)
    return [
        f"- {names[1]} over {names[0]}, {each.name}: {each.difference:+.4f} "
        f"[{each.interval.low:+.4f}, {each.interval.high:+.4f}] ({each.relative_improvement or 0.0:+.2%}), "
        f"p = {each.randomisation.p:.4f}"
        for each in compared.differences
    ]


def _costs(runs: list[Done]) -> str:
    names = list(dict.fromkeys(stage for run in runs for stage in run.made["seconds"]))
    rows = [["CPU s", *names, "total", "memory"], ["---", *["---:"] * (len(names) + 2)]]
    for run in runs:
        spent = run.made["seconds"]
        cells = [f"{spent[each]:.1f}" if each in spent else "–" for each in names]
        rows.append([run.snippet.name, *cells, f"{run.made['cpu']:.0f}", f"{run.memory:.0f} MB"])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _table(title: str, names: tuple[str, ...], rows: list[tuple[str, dict[str, Any]]]) -> str:
    lines = [["", *names] if not title else [title, *names], ["---", *["---:"] * len(names)]]
    lines += [[name, *(_cell(*values.get(each, (None, None))) for each in names)] for name, values in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value: float | None, std: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}" if std is None else f"{value:.4f} ± {std:.4f}"


if __name__ == "__main__":
    main()
