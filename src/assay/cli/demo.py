"""`assay demo`: the example that the package carries, evaluated as a user would."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from assay.cli.notes import notes
from assay.cli.table import Table, show
from assay.cli.view import head_line, number, one_system
from assay.contracts.load import DEFAULT, contract
from assay.contracts.model import Contract
from assay.data.corpus import Corpus, read_corpus
from assay.data.predictions import Predictions, read_predictions
from assay.evaluation.api import evaluate
from assay.evaluation.inputs import read_trec
from assay.evaluation.intervals import Bootstrap
from assay.evaluation.result import Result

CHOSEN = ("ndcg@3", "recall@3", "evidence_recall", "auroc", "sensitivity", "alert_precision")
RESAMPLES = 1000  # what --ci fast means
COMPARED = (DEFAULT, "evidence/1.0.0", "e2e/1.0", "bundle/3.0", "paper/1.0")
COMPARED_NAMES = ("recall@3", "map@1", "map@3", "precision@10")
TREC = "trec_eval/10"
TREC_NAMES = ("num_q", "map", "recip_rank", "bpref", "P_5", "ndcg_cut_5")

OPENING = """The example is invented: 12 posts × 3 criteria, and the answers of a system that does
not exist. Each part begins with the command that gives it."""

MORE = f"""
The intervals come from {RESAMPLES} draws of the 12 posts. Without -m the command prints every
measure of {DEFAULT} that these data have, with calibration, deployment, posts and criteria."""

WHY = """One name, several definitions: bundle/3.0 leaves out gold that is not among the candidates,
AP divides by R, min(R, k) or the hits, and paper/1.0 divides precision by min(k, n)."""

GO_ON = """
Where to go on
  docs/tutorial.md                       from a folder of tables to a table of results
  assay evaluate --help                  all options; -o DIR writes a bundle
  assay verify DIR                       a bundle's numbers, by a second implementation
  assay gate DIR                         whether it may be published
  assay compare A B --corpus DIR         whether two systems differ
  assay lint FIGURES                     printed figures that cannot all be right
  assay contract diff assay/1 paper/1.0  what two contracts disagree on, with both formulas
  assay metric show ndcg@10              one measure: formula, population, edge cases"""


def demo_command() -> None:
    """Evaluate the example's corpus, then its plain IR files."""
    with as_file(files("assay.example")) as folder:
        show(OPENING)
        corpus = read_corpus(folder / "corpus")
        predictions = read_predictions(folder / "predictions")
        place = _from_here(folder)
        _default(corpus, predictions, place)
        _side_by_side(corpus, predictions)
        _plain(folder, place)
    show(GO_ON)


def _from_here(folder: Path) -> Path:
    """The folder as one would type it: relative where it lies below the working directory."""
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder


def _default(corpus: Corpus, predictions: Predictions, place: Path) -> None:
    made = contract(DEFAULT)
    options = " ".join(f"-m {name}" for name in CHOSEN)
    command = (
        f"assay evaluate {place}/predictions --corpus {place}/corpus --ci fast \\\n    {options}"
    )
    result = evaluate(
        predictions, corpus, contract=made, measures=CHOSEN, bootstrap=Bootstrap(RESAMPLES)
    )
    _print(command, result, made)
    show(MORE)


def _side_by_side(corpus: Corpus, predictions: Predictions) -> None:
    """The same names and data under other definitions; pooled, so that only these differ."""
    columns = []
    for name in COMPARED:
        made = contract(name)
        wanted = [measure for measure in COMPARED_NAMES if measure in made.names]
        result = evaluate(predictions, corpus, contract=made, measures=wanted)
        columns.append({value.name: number(value.pooled, value.better) for value in result})
    rows = tuple((name, *(column.get(name, "–") for column in columns)) for name in COMPARED_NAMES)
    title = "\nThe same predictions under five contracts (--contract ID), pooled over the queries"
    show(Table(title, ("measure", *COMPARED), rows), WHY)


def _plain(folder: Path, place: Path) -> None:
    made = contract(TREC).changed(k=(5,))
    judged = read_trec(folder / "qrels.txt", folder / "run.txt")
    options = " ".join(f"-m {name}" for name in TREC_NAMES)
    command = (
        f"assay evaluate --qrels {place}/qrels.txt --run {place}/run.txt \\\n"
        f"    --contract {TREC} --k 5 {options}"
    )
    _print(command, evaluate(judged, contract=made, measures=TREC_NAMES), made)


def _print(command: str, result: Result, made: Contract) -> None:
    """What `command` prints, after the command itself."""
    lines = "\n".join(notes(result))
    show(
        f"\n$ {command}", head_line(result), *one_system(result, made), *([lines] if lines else [])
    )
