"""Options that several commands share; each is described here only."""

from __future__ import annotations

from assay.cli.options import REPEATED, SEVERAL, from_one, option
from assay.errors import InputError, shown


def _measure_names(text: str) -> list[str]:
    from assay.metrics.core.names.listed_measures import measure_names

    return measure_names(text)


CORPUS = option("--corpus DIR", "corpus folder: sentences, criteria and gold evidence")
QRELS = option("--qrels FILE", "relevance judgements (TREC, BEIR, CSV, TSV, JSON or Parquet)")
RUN = option(
    "--run FILE",
    "runs to score with --qrels (TREC, CSV, TSV, JSON or Parquet; - is standard input)",
    dest="runs",
    **SEVERAL,
)
SPLIT = option("--split NAME", "use one split of the judgements, such as test")
DECISIONS = option("--decisions FILE", "table of labels and probabilities (CSV, JSON or Parquet)")
RANKING_COLUMNS_GROUP = "columns of --qrels and --run, where their names are not recognised"
RANKING_COLUMNS = (
    option("--qrels-columns query=Q,item=D,grade=G", "columns of the judgements"),
    option(
        "--run-columns query=Q,item=D,score=S", "columns of the runs; rank=R for ranks in place of scores"
    ),
)
COLUMNS_GROUP = "columns of --decisions"
COLUMNS = (
    option("--prob COLUMN", "probability column; COLUMN%% if it is in percent", default="prob"),
    option("--label COLUMN", "label column, 0 or 1; COLUMN=VALUE names the positive value", default="label"),
    option("--group COLUMN", "column of rows that belong together, such as a patient id"),
    option("--fold COLUMN", "column of cross-validation folds"),
)

LOG_GROUP = "fields of a log"
LOG = (
    option(
        "--map ROLE=FIELD,…",
        "fields of a log that are not recognised by name: question, id, retrieved, scores, texts, gold, "
        "confidence, answered, answerable, group, fold; such as question=q,retrieved=docs.id; confidence=p%% "
        "is in percent, null=unanswerable reads a null gold as an empty list",
        dest="fields",
    ),
    option("--format auto|log|ragas|deepeval|inspect", "format of a log", default="auto", dest="log_format"),
)

MEASURES = option(
    "-m --measure NAME",
    "compute only these measures, by names of the contract or definition ids; separate them by "
    "commas, or repeat the option",
    dest="measures",
    type=_measure_names,
    **{**REPEATED, "action": "extend"},
)
RANKING = (
    option("--k 1,5,30", "cut-offs to use in place of the contract's"),
    option("--level N", "smallest grade that counts as relevant (trec_eval -l)"),
    option("--depth N", "use only the top N candidates per query (trec_eval -M)"),
    option(
        "--ties stable|docno_desc|expected",
        "order of equal scores: of the input; by id, descending (trec_eval); or the mean over all orders",
    ),
    option("--complete", "average over all judged queries; unanswered ones count as 0 (trec_eval -c)"),
)

TUNE = option(
    "--tune FILE", "labelled queries (the TUNE part) to choose thresholds on, if the input contains none"
)
TUNE_SHARE = option(
    "--tune-share SHARE",
    "split the table of --decisions by group: choose thresholds on this share, such as 0.5, and score "
    "the others",
    type=float,
)
TUNE_REUSED = option(
    "--tune-reused",
    "TUNE was also used for something else, such as training: no threshold is called certified",
)

ENGINE = option(
    "--engine local|spark|URL",
    "where candidates are ranked: in this process, or by Spark at a master URL such as local[4], "
    "spark://HOST:PORT or sc://HOST:PORT",
    default="local",
)
MEMORY = option(
    "--memory SIZE",
    "with --run: memory limit of the process, such as 1GB; larger inputs are read in parts and collected "
    "in temporary files (TMPDIR)",
)
SEED = option("--seed N", "seed of the random numbers", default=0)
PROCESSES = option(
    "--processes N",
    "folds to work on at the same time, one process each (default: 2 for a corpus of 10,000 to a million "
    "pairs of query and candidate, else 1)",
    type=from_one("--processes"),
)


def fold_names(text: str) -> list[str]:
    """Return the folds of `--folds`.

    >>> fold_names("0, 3,0")
    ['0', '3']
    """
    names = list(dict.fromkeys(part.strip() for part in text.split(",")))
    if not all(names):
        expected = "expected names of folds separated by commas, such as 0,3"
        raise InputError.of("--folds", f"is {shown(text)}", expected)
    return names


FOLD_ENGINE = ENGINE.but(
    help="where folds are computed: in processes of this machine, or as tasks of Spark at a master URL such "
    "as spark://HOST:PORT, whose workers share the folders of corpus and output (default: local)"
)
FOLDS = option(
    "--folds NAME,…",
    "compute only these folds, as one job of a scheduler; a run without this option collects them",
    type=fold_names,
)
CONFIGURATION = option("configuration CONFIG.toml", "pipeline configuration (docs/pipeline.md)")
BUNDLE = option("bundle BUNDLE", "bundle folder, as written by `assay evaluate -o`")
FOLDER = option("-o --output DIR", "output folder", required=True)
RESUMED = FOLDER.but(help="output folder; an interrupted run resumes")
SUPPRESS = option(
    "--suppress-below N",
    "hide groups of fewer than N queries in breakdowns, tables and figures, as for clinical data; the "
    "bundle's own files keep them",
)
NO_REPORT = option(
    "--no-report",
    "write the bundle without its figures, tables and HTML page",
    action="store_false",
    dest="report",
)
JSON = option("--json", "print JSON instead of tables", dest="as_json")
