"""Planted bugs: each kernel mutant must be caught by the derived tests of its own measure.

`make mutants` copies the package, plants one bug at a time, and runs only the derived tests of the
family it is in. A mutant that survives, or whose text is not in the source any more, fails the run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
RANKING = "kernels/ranking.py"
UNCUT = "kernels/uncut.py"
LAYOUT = "kernels/layout.py"
BINARY = "kernels/binary.py"
LOGISTIC = "kernels/logistic.py"
CALIBRATION = "metrics/calibration.py"
CONFUSION = "metrics/confusion.py"
POSTS = "metrics/posts.py"
SELECTION = "metrics/selection.py"
STATES_FILE = "metrics/states.py"


@dataclass(frozen=True)
class Mutant:
    """One bug: where, what becomes what, and the family whose tests must see it."""

    family: str
    file: str
    old: str
    new: str


MUTANTS = (
    Mutant(
        "recall",
        RANKING,
        'total = view.R if gold == "all"',
        'total = view.hits(ALL) if gold == "all"',
    ),
    Mutant("recall", LAYOUT, "self.count(self.rank <= cut)", "self.count(self.rank < cut)"),
    Mutant("precision", RANKING, "return np.minimum(R, k)", "return np.maximum(R, 1)"),
    Mutant("precision", RANKING, 'denominator == "k_eff" or k == ALL', "k == ALL"),
    Mutant("hit", RANKING, "hits(k) > 0)", "hits(k) > 1)"),
    Mutant("mrr", RANKING, "1.0 / view.rank[first]", "1.0 / (view.rank[first] + 1)"),
    Mutant("mrr", RANKING, "(view.ordinal == 1) & (view.rank <= k)", "view.ordinal == 1"),
    Mutant("map", RANKING, 'if denominator == "R":', 'if denominator == "hits":'),
    Mutant("map", RANKING, "view.ordinal[top] / view.rank[top]", "1.0 / view.rank[top]"),
    Mutant("map", RANKING, 'if cut == "k_eff" else k)', "if False else k)"),
    Mutant("ndcg", RANKING, "np.log2(r.hit_rank[keep] + 1.0)", "np.log2(r.hit_rank[keep] + 2.0)"),
    Mutant("ndcg", RANKING, 'grades if gain == "linear"', 'grades if gain != "linear"'),
    Mutant("ndcg", RANKING, 'if gold == "retrieved":', "if False:"),
    Mutant("ndcg", RANKING, "inside = position <= limit", "inside = position <= k"),
    Mutant("f", RANKING, "weight = beta * beta", "weight = beta"),
    Mutant("judged", RANKING, "r.hit_query[r.hit_rank <= k]", "r.hit_query[r.hit_rank < k]"),
    Mutant("unjudged", RANKING, "count = np.minimum(k, r.n) -", "count = r.n -"),
    Mutant("rprec", UNCUT, "view.hits(view.R), view.R", "view.hits(ALL), view.R"),
    Mutant("bpref", UNCUT, "np.minimum(above, bound), total", "above, total"),
    Mutant("bpref", UNCUT, "(r.judged - view.R)[view.query]", "r.judged[view.query]"),
    Mutant("rbp", UNCUT, "np.power(p, view.rank - 1.0)", "np.power(p, view.rank)"),
    Mutant("err", UNCUT, "still_reading[active] *= 1.0 - stop[row]", "pass"),
    Mutant("set_f", UNCUT, "weight * view.R + r.n", "weight * r.n + view.R"),
    Mutant("iprec", UNCUT, "math.ceil(exact", "math.floor(exact"),
    Mutant("iprec", UNCUT, "np.maximum.reduceat", "np.minimum.reduceat"),
    Mutant("gm_map", UNCUT, 'ALL, "R", "k", rel', 'ALL, "hits", "k", rel'),
    Mutant("auroc", BINARY, "- steps.above - steps.alarms", "- 2 * steps.alarms"),
    Mutant(
        "auprc",
        BINARY,
        "np.maximum(steps.hits + steps.alarms, 1)",
        "np.maximum(steps.hits + steps.above, 1)",
    ),
    Mutant(
        "tpr_at_fpr", BINARY, "np.count_nonzero(steps.alarms <=", "np.count_nonzero(steps.alarms <"
    ),
    Mutant(
        "fpr_reached",
        BINARY,
        "np.count_nonzero(steps.hits < hits",
        "np.count_nonzero(steps.hits <= hits",
    ),
    Mutant("ece", CALIBRATION, "np.abs(p - y).sum(axis=1)", "(p - y).sum(axis=1) ** 2"),
    Mutant("aurc", BINARY, "(errors_before - rate * before)", "errors_before"),
    Mutant(
        "calibration_slope",
        LOGISTIC,
        "residual, weight = counts * np.where",
        "residual, weight = np.where",
    ),
    Mutant("mcc", CONFUSION, "tp * tn - fp * fn", "tp * tn + fp * fn"),
    Mutant("fnr", CONFUSION, 'Share("FN", "FN TP")', 'Share("FN", "FN TN")'),
    Mutant("macro_f1", POSTS, "below = 2 * tp + wrong", "below = tp + wrong"),
    Mutant("evidence_recall", SELECTION, "total * (k >= 1)", "total"),
    Mutant(
        "screening_fn_per_1000",
        STATES_FILE,
        'in_state(cases, "neg") * label(cases)',
        'in_state(cases, "neg")',
    ),
    Mutant("selected_k", BINARY, "cumulative <= place", "cumulative < place"),
)


def survives(mutant: Mutant) -> str | None:
    """None where the mutant was caught; else what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        file = source / "assay" / mutant.file
        text = file.read_text(encoding="utf-8")
        if mutant.old not in text:
            return f"{mutant.file} has no {mutant.old!r} any more"
        file.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "tests/derived/test_derived.py", "-x", "-p",
                   "no:cacheprovider", "-p", "no:xdist", "--family", mutant.family]  # fmt: skip
        environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
    if done.returncode == 1:
        return None
    return "survived" if done.returncode == 0 else f"the tests did not run:\n{done.stdout[-800:]}"


def main() -> int:
    with ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(survives, MUTANTS))
    for mutant, verdict in zip(MUTANTS, verdicts, strict=True):
        print(
            f"{'caught' if verdict is None else 'MISSED'}  {mutant.family:12} {mutant.new.strip()!r}"
        )
        if verdict:
            print(f"        {verdict}")
    missed = sum(verdict is not None for verdict in verdicts)
    print(f"{len(MUTANTS) - missed} passed, {missed} failed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
