"""Quality of the reference pipeline on real data: mean ± std over the EVAL folds, with floors.

`make bench-quality` runs the default configuration on every corpus of ../shared/data that is there
and writes benchmarks/quality.md. No corpus has a setting of its own.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import polars as pl

ROOT = Path(__file__).parents[1]
TARGETS = tomllib.loads((Path(__file__).parent / "quality.toml").read_text())
SHOWN = ("ndcg@10", "recall@10", "mrr", "auroc", "auprc", "evidence_recall", "evidence_precision")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "data"
    parts = [HEAD]
    for name, target in TARGETS.items():
        if not (folder / name).is_dir():
            print(f"{name} is not in {folder.name}: left out", file=sys.stderr)
            continue
        parts.append(section(name, folder / name, target))
    (Path(__file__).parent / "quality.md").write_text("\n".join(parts))


HEAD = """# Quality of the reference pipeline

Written by `make bench-quality`: the default configuration (`corpus = …` and nothing else), 5 outer
folds, TRAIN 56 %, TUNE 24 %, EVAL 20 % of the posts, mean ± std over the EVAL folds. Random and
original order, the highest score as gate, and the oracle are the floors and the ceiling.
"""


def section(name: str, corpus: Path, target: dict[str, float]) -> str:
    """Run one corpus in a process of its own and put its floors in a table."""
    with tempfile.TemporaryDirectory() as scratch:
        plan = Path(scratch) / "assay.toml"
        plan.write_text(f'corpus = "{corpus.resolve()}"\n[protocol]\nresamples = 0\n')
        command = [sys.executable, "-m", "assay.cli", "run", str(plan), "-o", f"{scratch}/out"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        floors = pl.read_csv(f"{scratch}/out/floors.csv")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    lines = [f"## {name}", "", "| | " + " | ".join(SHOWN) + " |", "|---" * (len(SHOWN) + 1) + "|"]
    for row in floors.iter_rows(named=True):
        cells = [_cell(row[each], row[f"{each} std"]) for each in SHOWN]
        lines.append(f"| {row['system']} | " + " | ".join(cells) + " |")
    goal = ", ".join(f"{each} {value:.3f}" for each, value in target.items())
    memory = after.ru_maxrss / 1024
    lines += [
        "",
        f"Targets: {goal}. {spent:.0f} CPU s; largest process so far {memory:.0f} MB.",
        "",
    ]
    return "\n".join(lines)


def _cell(value: float | None, std: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}" if std is None else f"{value:.4f} ± {std:.4f}"


if __name__ == "__main__":
    main()
