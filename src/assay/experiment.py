"""The one place where a pipeline meets a score: from a configuration to a bundle with floors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay.contracts.load import contract
from assay.data.corpus import QUERY, Corpus, read_corpus
from assay.data.floors import floor_tables
from assay.data.model import Bools, Floats
from assay.data.predictions import Predictions
from assay.errors import InputError, MeasureError
from assay.evaluation.api import evaluate
from assay.evaluation.bundle.folder import write_folder
from assay.evaluation.bundle.hashes import sha256
from assay.evaluation.bundle.write import MANIFEST, manifest, write_json
from assay.evaluation.intervals import Bootstrap
from assay.evaluation.result import Result
from assay.evaluation.run import DEFAULT_GROUPS
from assay.metrics.catalogue import metric
from assay.pipeline.answers import Answers, tables_of
from assay.pipeline.build import STAGES
from assay.pipeline.cache import code
from assay.pipeline.lexical import Lexical
from assay.pipeline.plan import Plan
from assay.pipeline.run import Heard, outer_folds, pipeline_of, predict
from assay.pipeline.stage import Learns
from assay.pipeline.views import Labelled
from assay.state_thresholds import ORDERLY, chosen_on_tune, state_thresholds
from assay.version import VERSION

CACHE, PREDICTIONS, BUNDLE, FLOORS, THRESHOLDS, RECORD = (
    "cache", "predictions", "bundle", "floors.csv", "thresholds.csv", "run.json",
)  # fmt: skip
BESIDE = ("ndcg@10", "recall@10", "mrr", "auroc", "auprc", "evidence_recall", "evidence_precision")
"""Measures that the floors are shown for."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A scored run: the result, the floors with the system among them, and who chose what."""

    result: Result
    floors: pl.DataFrame
    thresholds: pl.DataFrame | None


def choose(prob: Floats, label: Bools, posts: Sequence[str], rule: str, confidence: float) -> float:
    """The threshold that a rule chooses on TUNE, for the three-state gate."""
    return chosen_on_tune(prob, label, posts, rule, confidence).value


def objective(held: Labelled, measures: tuple[str, ...]) -> float:
    """The mean of some measures on answered posts of TRAIN, for a search of settings.

    Measures that these posts cannot have are left out of the mean; 0 where that is all of them, or
    where no post has evidence.
    """
    if not held.gold.any():
        return 0.0
    view = held.view
    uids = [str(at) for at in range(len(view.owner))]
    post = pl.Series(list(view.posts))
    sentence, criterion = np.nonzero(held.gold)
    names = pl.Series(list(view.criteria))
    asked = np.nonzero(view.asked)
    corpus = Corpus.of(
        sentences=pl.DataFrame({"post_id": post.gather(view.owner), "sent_uid": uids}),
        criteria=pl.DataFrame({"criterion_id": names}),
        gold=pl.DataFrame(
            {
                "post_id": post.gather(view.owner[sentence]),
                "criterion_id": names.gather(criterion),
                "sent_uid": [uids[at] for at in sentence],
            }
        ),
        queries=pl.DataFrame(
            {"post_id": post.gather(asked[0]), "criterion_id": names.gather(asked[1])}
        ),
    )
    answers = tables_of(view, uids, "held")
    given = Predictions.of(answers.candidates, answers.decisions)
    values = _measured(evaluate(given, corpus, measures=measures, clean=False), measures)
    return sum(values) / len(values) if values else 0.0


def _measured(result: Result, measures: tuple[str, ...]) -> list[float]:
    out = []
    for name in measures:
        try:
            value = result[name].value
        except MeasureError:
            continue
        if value is not None:
            out.append(value)
    return out


def run(
    plan: Plan,
    output: str | Path,
    *,
    overwrite: bool = False,
    processes: int = 2,
    heard: Heard = lambda *_: None,
) -> Outcome:
    """Nested cross-validation: predictions, their bundle, floors and a record, in a folder.

    What is done is kept in the folder's `cache`, so a run that was ended goes on where it was and
    leaves the same bytes. A finished run of another configuration is refused unless `overwrite`.
    """
    folder = Path(output)
    contract(plan.contract)  # what does not exist or cannot work is said before the work
    pipeline_of(plan, choose)
    corpus = read_corpus(plan.corpus)
    _refuse(folder, plan, overwrite=overwrite)
    _check_search(plan)
    answers = predict(
        plan, corpus, choose, cache=folder / CACHE, processes=processes, heard=heard,
        objective=objective,
    )  # fmt: skip
    _write_predictions(answers, folder / PREDICTIONS)
    protocol = plan.protocol
    result = evaluate(
        folder / PREDICTIONS,
        plan.corpus,
        contract=plan.contract,
        by=DEFAULT_GROUPS,
        system=Path(plan.source).stem,
        bootstrap=Bootstrap(protocol.resamples, protocol.seed) if protocol.resamples else None,
        clean=clean(plan),
    )
    result.save(folder / BUNDLE, overwrite=True)
    words = predict(retriever(plan), corpus, choose, cache=folder / CACHE, processes=1)
    beside = floors(plan, corpus, answers, result, words.candidates)
    put(folder / FLOORS, beside.write_csv())
    chosen = state_thresholds(plan, corpus, answers)
    if chosen is not None:
        put(folder / THRESHOLDS, chosen.write_csv())
    put(folder / RECORD, json.dumps(_record(plan, folder, answers), indent=1) + "\n")
    return Outcome(result, beside, chosen)


def clean(plan: Plan) -> bool:
    """Whether a threshold on TUNE may be called certified.

    The gate's raw score learned nothing from TUNE, and the calibrations leave its order as it is,
    so a threshold on the probability is one on the raw score. Any other stage that learns on TUNE
    could have moved queries past each other.
    """
    learned = {name for name in plan.stages if STAGES[name].learns is Learns.TUNE}
    return learned <= ORDERLY


def retriever(plan: Plan) -> Plan:
    """BM25 alone: the retriever of the plan, or its default."""
    tables = {name: table for name, table in plan.tables.items() if name == Lexical.name}
    return replace(plan, stages=(Lexical.name,), tables=tables, search=None)


def floors(
    plan: Plan, corpus: Corpus, answers: Answers, result: Result, words: pl.DataFrame
) -> pl.DataFrame:
    """Random order, original order, BM25, the gate by the highest score, the system, the oracle."""
    fold = fold_table(corpus, plan)
    ranked = {"bm25": words, "highest score": answers.candidates}
    rows = []
    for name in ("random", "original", "bm25", "highest score", "oracle"):
        if name in ranked:
            tables = (ranked[name], by_highest(ranked[name], corpus, fold))
        else:
            tables = floor_tables(corpus, name, fold, plan.protocol.seed)
        scored = evaluate(
            Predictions.of(*tables), corpus, contract=plan.contract, measures=_known(result)
        )
        rows.append({"system": name} | _values(scored))
    rows.insert(4, {"system": result.system} | _values(result))
    return pl.DataFrame(rows, infer_schema_length=None)


def fold_table(corpus: Corpus, plan: Plan) -> pl.DataFrame:
    """The outer fold of each post."""
    own = outer_folds(corpus, plan)
    return pl.DataFrame({"post_id": list(own), "fold": list(own.values())})


def _known(result: Result) -> list[str]:
    return [name for name in BESIDE if name in {value.name for value in result}]


def _values(result: Result) -> dict[str, float | None]:
    """Value and std over folds of each measure that the floors are shown for."""
    out: dict[str, float | None] = {}
    for name in BESIDE:
        try:
            value = result[name]
        except MeasureError:
            out |= {name: None, f"{name} std": None}
            continue
        out |= {name: value.value, f"{name} std": value.folds.std if value.folds else None}
    return out


def by_highest(candidates: pl.DataFrame, corpus: Corpus, fold: pl.DataFrame) -> pl.DataFrame:
    """The highest score of a query in the place of a probability, as its rank among all queries."""
    best = candidates.group_by(QUERY).agg(pl.col("score").max().alias("__best"))
    asked = corpus.queries.frame.select(QUERY)
    joined = asked.join(best, on=QUERY, how="left", maintain_order="left")
    rank = joined["__best"].rank("average") / joined.height
    made = joined.with_columns(rank.fill_null(0.0).alias("prob")).drop("__best")
    return made.join(fold, on="post_id", maintain_order="left")


def _refuse(folder: Path, plan: Plan, *, overwrite: bool) -> None:
    """Say no before the work where the folder holds something else."""
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not _ours(folder))):
        raise InputError.of(str(folder), "exists and is not a run", "expected a new folder")
    try:
        before = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    if before.get("plan") != plan.record() and not overwrite:
        problem = "has a finished run of another configuration"
        raise InputError.of(str(folder), problem, "expected a new folder, or --overwrite")


def _ours(folder: Path) -> bool:
    return (folder / CACHE).is_dir() or (folder / RECORD).is_file()


def _write_predictions(answers: Answers, folder: Path) -> None:
    def fill(fresh: Path) -> None:
        answers.candidates.write_parquet(fresh / "candidates.parquet")
        for name in ("decisions", "tune"):
            table = getattr(answers, name)
            if table is not None:
                table.write_csv(fresh / f"{name}.csv")
        write_json(fresh / MANIFEST, manifest(fresh))

    write_folder(folder, fill, overwrite=True)


def _check_search(plan: Plan) -> None:
    """What a search looks for must exist, and more of it must be better."""
    for name in plan.search.settings.objective if plan.search else ():
        if metric(name).better != "higher":
            problem = f"objective is {name}, which is not better when higher"
            raise InputError.of(f"{plan.source} [tune]", problem, "expected one such as ndcg@10")


def _record(plan: Plan, folder: Path, answers: Answers) -> dict[str, Any]:
    """What was run: configuration, seed, versions, and hashes of what went in and came out."""
    tables = sorted(path for path in plan.corpus.iterdir() if path.is_file())
    written = [folder / PREDICTIONS / MANIFEST, folder / BUNDLE / MANIFEST, folder / FLOORS]
    written += [path for path in [folder / THRESHOLDS] if path.is_file()]
    searches = {"search": dict(answers.searches)} if answers.searches else {}
    return {
        "schema": "assay/run/1",
        "plan": plan.record(),
        **searches,
        "versions": {"assay": VERSION, **code()},
        "corpus": {path.name: sha256(path) for path in tables},
        "output": {path.relative_to(folder).as_posix(): sha256(path) for path in written},
    }


def put(path: Path, text: str) -> None:
    """Write a file in one step."""
    fresh = path.with_name(f".{path.name}.unfinished")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)
