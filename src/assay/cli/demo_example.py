"""The example that comes with assay, evaluated as a user would."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from assay.cli.render.output import show
from assay.contracts.contract_toml import DEFAULT, contract
from assay.data.corpus import Corpus, read_corpus
from assay.data.predictions import Predictions, read_predictions
from assay.data.readers.qrels_and_runs import read_trec
from assay.evaluation.display.result_tables import number
from assay.evaluation.display.result_text import Parts, result_parts
from assay.evaluation.evaluate import evaluate
from assay.evaluation.intervals.bootstrap_plan import Bootstrap
from assay.text_table import TextTable
from assay.text_wrapping import COMMAND

CHOSEN = ("ndcg@3", "recall@3", "evidence_recall", "auroc", "sensitivity", "alert_precision")
RESAMPLES = 1000  # what --ci fast means
COMPARED = (DEFAULT, "evidence/1.0.0", "e2e/1.0", "bundle/3.0", "paper/1.0")
COMPARED_NAMES = ("recall@3", "map@1", "map@3", "precision@10")
TREC = "trec_eval/10"
TREC_NAMES = ("num_q", "map", "recip_rank", "bpref", "P_5", "ndcg_cut_5")

OPENING = (
    "A synthetic example: 12 posts × 3 criteria, and the predictions of a system that does not exist. "
    "Each part starts with the command that prints it."
)
MORE = (
    f"The intervals come from {RESAMPLES} resamples of the 12 posts. Without -m the command reports "
    f"every measure of {DEFAULT} that the data support, including calibration and deployment."
)
WHY = (
    "The same names have different definitions: bundle/3.0 ignores gold that is not among the "
    "candidates, AP is divided by R, by min(R, k) or by the number of hits, and paper/1.0 divides "
    "precision by min(k, n)."
)

NEXT = (
    ("docs/tutorial.md", "from a folder of tables to a table of results"),
    ("assay evaluate --help", "all options; -o DIR writes a bundle"),
    ("assay show DIR --worst 5", "the queries of a bundle with the lowest values"),
    ("assay verify DIR", "recompute a bundle with a second implementation"),
    ("assay gate DIR", "check whether a bundle may be published"),
    ("assay compare A B --corpus DIR", "test whether two systems differ"),
    ("assay lint FILE", "check published results for inconsistency"),
    ("assay contract diff assay/1 paper/1.0", "where two contracts differ, with both formulas"),
    ("assay metric show ndcg@10", "one measure: formula, population, edge cases"),
)


def show_example() -> None:
    """Evaluate the example's corpus, then its TREC files."""
    with as_file(files("assay.example")) as folder:
        corpus = read_corpus(folder / "corpus")
        predictions = read_predictions(folder / "predictions")
        place = _from_here(folder)
        show(
            OPENING,
            *_default(corpus, predictions, place),
            MORE,
            _side_by_side(corpus, predictions),
            WHY,
            *_plain(folder, place),
            TextTable("Next steps", ("read or run", "what it gives"), NEXT, (0, 1)),
            more=" A wider window has them.",
        )


def _from_here(folder: Path) -> Path:
    """Return the folder as one would type it, relative to the working directory if below it."""
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder


def _default(corpus: Corpus, predictions: Predictions, place: Path) -> Parts:
    made = contract(DEFAULT)
    options = f"-m {','.join(CHOSEN[:3])} -m {','.join(CHOSEN[3:])}"  # two that fit a line
    command = f"assay evaluate {place}/predictions --corpus {place}/corpus --ci fast {options}"
    result = evaluate(predictions, corpus, contract=made, measures=CHOSEN, bootstrap=Bootstrap(RESAMPLES))
    return [COMMAND + command, *result_parts(result, made, brief=True)]


def _side_by_side(corpus: Corpus, predictions: Predictions) -> TextTable:
    """Return the same names and data under other definitions; pooled, so that only these differ."""
    columns = []
    for name in COMPARED:
        made = contract(name)
        wanted = [measure for measure in COMPARED_NAMES if measure in made.names]
        result = evaluate(predictions, corpus, contract=made, measures=wanted)
        columns.append({value.name: number(value.pooled, value.better) for value in result.measures})
    rows = tuple((name, *(column.get(name, "–") for column in columns)) for name in COMPARED_NAMES)
    title = "The same predictions under five contracts (--contract ID), pooled over all queries"
    return TextTable(title, ("measure", *COMPARED), rows)


def _plain(folder: Path, place: Path) -> Parts:
    made = contract(TREC).changed(k=(5,))
    judged = read_trec(folder / "qrels.txt", folder / "run.txt")
    options = f"-m {','.join(TREC_NAMES)}"
    command = (
        f"assay evaluate --qrels {place}/qrels.txt --run {place}/run.txt --contract {TREC} --k 5 {options}"
    )
    result = evaluate(judged, contract=made, measures=TREC_NAMES)
    return [COMMAND + command, *result_parts(result, made, brief=True)]
