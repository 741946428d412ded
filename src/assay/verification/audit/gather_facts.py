"""Collect the facts of a corpus with or without predictions, and of a bundle."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from assay.data.alignment.align import RankingRules
from assay.data.alignment.corpus_cases import align_corpus
from assay.data.corpus import QUERY, SHARED, Corpus
from assay.data.evidence.evidence_groups import one_per_item
from assay.data.predictions import Predictions, load_predictions, read_decided
from assay.data.tune_queries import ROLES
from assay.evaluation.bundle.bundle_checks import check_tables
from assay.evaluation.bundle.bundle_files import MASTER, read_json, read_table
from assay.evaluation.bundle.load import read_result
from assay.evaluation.bundle.snapshot import unchanged
from assay.verification.audit.facts import RULE_COLUMN, THRESHOLDS, Facts

SPLIT = {"post_id": pl.String, "fold": pl.String, "role": pl.String}


@dataclass(frozen=True, slots=True)
class Answers:
    """The predictions, and the decisions with rows of every role."""

    candidates: pl.DataFrame | None
    decisions: pl.DataFrame | None
    tune: pl.DataFrame | None = None
    everything: pl.DataFrame | None = None
    roles: pl.DataFrame | None = None  # of a single split


def read_answers(folder: str | Path, corpus: Corpus) -> tuple[Answers, pl.DataFrame]:
    """Read the predictions in a folder, check them against the corpus, and find their queries."""
    given = load_predictions(folder)
    table = read_decided(Path(folder))
    return checked(given, corpus, None if table is None else table.frame)


def checked(
    given: Predictions, corpus: Corpus, everything: pl.DataFrame | None = None
) -> tuple[Answers, pl.DataFrame]:
    """Return predictions as tables, once nothing in them contradicts the corpus."""
    queries = align_corpus(corpus, given, RankingRules()).keys
    decisions = None if given.decisions is None else given.decisions.frame
    tune = None if given.tune is None else given.tune.frame
    roles = None if given.roles is None else given.roles.frame
    return Answers(given.candidates.frame, decisions, tune, everything, roles), queries


def facts_of_corpus(
    corpus: Corpus, answers: Answers | None = None, asked: pl.DataFrame | None = None
) -> Facts:
    """Return the facts of a corpus; with predictions, `asked` are their queries."""
    gold = corpus.gold.frame.filter(pl.col("grade") >= 1)
    queries = corpus.queries.frame if asked is None else asked
    queries = _counted(queries.select(QUERY), gold)
    folds = None if corpus.folds is None else corpus.folds.frame.select("post_id", "fold")
    candidates = tune = roles = None
    if answers is not None:
        queries, own = _decided(queries, answers.decisions)
        folds = own if folds is None else folds if own is None else pl.concat([folds, own])
        if answers.candidates is not None:
            candidates = _graded(answers.candidates, gold)
        if answers.tune is not None:
            label = _counted(answers.tune, gold)["has_evidence"].cast(pl.Int8).alias("label")
            kept = ["post_id", "prob", *(["fold"] if "fold" in answers.tune.columns else [])]
            tune = answers.tune.select(kept).with_columns(label)
    folds = None if folds is None else folds.unique(maintain_order=True)
    queries = _with_folds(queries, folds)
    if answers is not None:
        roles = _roles(queries, tune, answers.everything, answers.roles)
    return Facts(
        name=corpus.name,
        kind="corpus",
        keys=QUERY,
        queries=queries,
        gold=gold.rename({"sent_uid": "item"}),
        folds=folds,
        sentences=_in_order(corpus.sentences.frame),
        criteria=corpus.criteria.frame,
        candidates=candidates,
        tune=tune,
        roles=roles,
        shared=corpus.shared_candidates,
    )


def facts_of_bundle(folder: str | Path) -> Facts:
    """Return the facts of a bundle; one that was changed after it was written is refused."""
    path = Path(folder)
    with unchanged(path):
        return _facts_of_bundle(path)


def _facts_of_bundle(path: Path) -> Facts:
    result = read_result(path)
    check_tables(result, path, repeats=True)
    keys = result.query_keys
    queries = read_table(path / "per_query.csv")
    grouped = "post_id" in queries.columns
    if not grouped:
        queries = queries.with_columns(pl.col(keys[0]).alias("post_id"))
    posts = queries.select(*dict.fromkeys((*keys, "post_id"))).unique(maintain_order=True)
    queries = queries.select(
        *posts.columns,
        pl.col("gold"),
        pl.col("has_evidence").cast(pl.Boolean),
        *(name for name in queries.columns if _kept(name)),
    )
    gold = one_per_item(read_table(path / "gold.csv").filter(pl.col("grade") >= 1))
    candidates = read_table(path / "candidates.csv.gz")
    tune = read_table(path / "tune.csv") if (path / "tune.csv").is_file() else None
    return Facts(
        name=path.name,
        kind="bundle",
        keys=keys,
        queries=queries,
        gold=_with_posts(gold, posts, keys),
        folds=_own_folds(queries),
        candidates=None  # lists that the system predicted reveal nothing
        if candidates.is_empty() or result.predicted_lists
        else _with_posts(candidates, posts, keys).with_columns(pl.col("grade").fill_null(0.0)),
        tune=tune,
        roles=_roles(queries, tune, None),
        shared=read_json(path / MASTER).get(SHARED, False),
        grouped=grouped,
        contract=result.contract,
        definitions={value.name: value.definition for value in result.measures},
    )


def _kept(name: str) -> bool:
    return name in ("fold", "prob", "selected_k", "state", *THRESHOLDS) or name.startswith(RULE_COLUMN)


def _with_posts(rows: pl.DataFrame, posts: pl.DataFrame, keys: tuple[str, ...]) -> pl.DataFrame:
    if "post_id" in rows.columns:
        return rows
    return rows.join(posts.unique(keys), on=keys, how="left", maintain_order="left")


def _counted(queries: pl.DataFrame, gold: pl.DataFrame) -> pl.DataFrame:
    """Add the number of gold sentences, and whether there are any."""
    counts = gold.group_by(QUERY).agg(pl.len().alias("gold"))
    made = queries.join(counts, on=QUERY, how="left", maintain_order="left")
    made = made.with_columns(pl.col("gold").fill_null(0).cast(pl.Int64))
    return made.with_columns((pl.col("gold") > 0).alias("has_evidence"))


def _graded(candidates: pl.DataFrame, gold: pl.DataFrame) -> pl.DataFrame:
    on = [*QUERY, "sent_uid"]
    made = candidates.select(*on, "score").join(
        gold.select(*on, "grade"), on=on, how="left", maintain_order="left"
    )
    return made.with_columns(pl.col("grade").fill_null(0.0)).rename({"sent_uid": "item"})


def _decided(
    queries: pl.DataFrame, decisions: pl.DataFrame | None
) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Add the decisions to the queries, and the folds that the decisions name."""
    if decisions is None:
        return queries, None
    kept = [name for name in decisions.columns if _kept(name) and name != "fold"]
    made = queries.join(decisions.select(*QUERY, *kept), on=QUERY, how="left", maintain_order="left")
    if "fold" not in decisions.columns:
        return made, None
    return made, decisions.select("post_id", pl.col("fold").cast(pl.String))


def _with_folds(queries: pl.DataFrame, folds: pl.DataFrame | None) -> pl.DataFrame:
    if folds is None:
        return queries
    first = folds.unique("post_id", keep="first", maintain_order=True)
    return queries.join(first, on="post_id", how="left", maintain_order="left")


def _own_folds(queries: pl.DataFrame) -> pl.DataFrame | None:
    if "fold" not in queries.columns:
        return None
    return queries.select("post_id", "fold").unique(maintain_order=True)


def _roles(
    queries: pl.DataFrame,
    tune: pl.DataFrame | None,
    decisions: pl.DataFrame | None,
    split: pl.DataFrame | None = None,
) -> pl.DataFrame | None:
    """Return the role of each post in each fold; None if only EVAL is known."""
    parts = [_of_role(queries, "EVAL")]
    if split is not None:
        parts.append(_of_role(split.filter(pl.col("role") == "TRAIN"), "TRAIN"))
    if tune is not None:
        parts.append(_of_role(tune, "TUNE"))
    if decisions is not None and "role" in decisions.columns:
        named = decisions.filter(pl.col("role").cast(pl.String).is_in(ROLES))
        parts += [
            _of_role(rows, str(role))
            for (role,), rows in named.group_by("role", maintain_order=True)
            if role != "EVAL"
        ]
    return None if len(parts) == 1 else pl.concat(parts).unique(maintain_order=True)


def _of_role(rows: pl.DataFrame, role: str) -> pl.DataFrame:
    fold = pl.col("fold").cast(pl.String) if "fold" in rows.columns else pl.lit(None, pl.String)
    made = rows.select(pl.col("post_id").cast(pl.String), fold.alias("fold"), pl.lit(role).alias("role"))
    return made.cast(SPLIT)  # type: ignore[arg-type] # names to types, as polars says


def _in_order(sentences: pl.DataFrame) -> pl.DataFrame:
    """Return sentences in reading order: by position if it is a number, else by `row`."""
    kept = sentences.with_row_index("row").select(
        "row",
        "post_id",
        pl.col("sent_uid").alias("item"),
        *(name for name in ("position", "text") if name in sentences.columns),
    )
    if "position" in kept.columns:
        place = pl.col("position").cast(pl.Float64, strict=False)
        kept = kept.sort(place, maintain_order=True, nulls_last=True)
    return kept
