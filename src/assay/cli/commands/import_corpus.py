"""`assay import`: convert a data set in another format to a corpus, or a log to corpus and predictions."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from assay.cli import shared_options as shared
from assay.cli.options import INPUT, OUTPUT, define_command, flag_of, option
from assay.cli.render.output import show
from assay.cli.system_inputs import log_input
from assay.errors import Fault, InputError, shown

if TYPE_CHECKING:
    from assay.data.importers.imported_corpus import Imported

FILES = {"redsm5": 2, "squad2": 1, "contractnli": 1, "jsonl": 1, "log": 1}
"""How many files each format has."""
OPTIONS = {
    INPUT: (
        option(f"kind {'|'.join(FILES)}", "format of the data set"),
        option(
            "files FILE", "redsm5: posts.csv and annotations.csv; every other format: one file", nargs="+"
        ),
    ),
    shared.LOG_GROUP: shared.LOG,
    OUTPUT: (
        shared.FOLDER,
        option("--with-text", "redsm5: show the texts of annotations that do not match their post"),
    ),
}
EXAMPLES = (
    "assay import squad2 dev-v2.0.json -o corpus/",
    "assay import log log.jsonl -o imported/ --map question=q,retrieved=docs",
    "assay import redsm5 posts.csv annotations.csv -o corpus/",
)


def define(command: argparse.ArgumentParser) -> None:
    """Describe the command."""
    usage = ("FORMAT FILE [FILE] -o DIR [options]",)
    define_command(command, run, OPTIONS, usage=usage, examples=EXAMPLES)


def run(options: argparse.Namespace) -> None:
    """Read, check as a corpus, write; notes go to stderr."""
    from assay.cli.ending import finish, tell
    from assay.data.importers.imported_corpus import write_corpus
    from assay.files.staging import Staging

    _refuse_wrong_files(options)
    if options.kind == "log":
        _import_log(options)
        return
    made = _read(options)
    with Staging() as staging:
        write_corpus(made, options.output, options.files[0].name, staging)
        for note in made.notes:
            tell(note)
        finish(staging, lambda: show(_summary(made)))


def _refuse_wrong_files(options: argparse.Namespace) -> None:
    kind, files = options.kind, options.files
    if kind not in FILES:
        raise InputError.of("import", f"format is {shown(kind)}", f"expected {', '.join(FILES)}")
    if len(files) != FILES[kind]:
        problem = f"{len(files)} files were given"
        raise InputError.of("import", problem, f"{kind} takes {FILES[kind]}")
    absent = [file for file in files if not file.exists() or file.is_dir()]
    if absent:
        raise InputError(
            Fault(str(file), "", "is a folder", "expected a file")
            if file.is_dir()
            else Fault(str(file), "", "file not found", "")
            for file in absent
        )
    for flag in ("fields", "log_format"):
        if flag in options.typed and kind != "log":
            raise InputError.of(flag_of(options.typed[flag]), "has no effect", "it is for logs only")
    if options.with_text and kind != "redsm5":
        raise InputError.of("--with-text", "has no effect", "it is for redsm5 only")


def _import_log(options: argparse.Namespace) -> None:
    """Write the folders corpus and predictions."""
    from assay.cli.ending import finish
    from assay.data.logs.log_folder import write_log
    from assay.files.staging import Staging, refuse_filled

    refuse_filled(options.output)
    log = log_input(options, options.files[0])
    folder = options.output
    decided = log.predictions.decisions is not None
    gold = log.corpus.gold.frame
    evidence = gold.filter(gold["grade"] >= 1)["criterion_id"].n_unique()
    text = "\n".join(
        (
            f"{len(log.corpus.queries.frame):,} questions, "
            f"{evidence:,} with evidence, "
            f"{len(log.predictions.candidates.frame):,} candidates, "
            f"{'with' if decided else 'without'} decisions",
            f"Evaluate them with: assay evaluate {folder / 'predictions'} --corpus {folder / 'corpus'}",
        )
    )
    with Staging() as staging:
        write_log(log, folder, staging)
        finish(staging, lambda: show(text))


def _read(options: argparse.Namespace) -> Imported:
    from assay.data.importers.contractnli import read_contractnli
    from assay.data.importers.jsonl import read_jsonl
    from assay.data.importers.redsm5 import read_redsm5
    from assay.data.importers.squad2 import read_squad2

    if options.kind == "redsm5":
        posts, annotations = options.files
        return read_redsm5(posts, annotations, with_text=options.with_text)
    readers = {"squad2": read_squad2, "contractnli": read_contractnli, "jsonl": read_jsonl}
    return readers[options.kind](*options.files)


def _summary(made: Imported) -> str:
    posts = len({row[0] for row in made.sentences})
    queries = posts * len(made.criteria) if made.queries is None else len(made.queries)
    evidence = len({row[:2] for row in made.gold})
    return (
        f"{posts} posts, {len(made.sentences)} sentences, {len(made.criteria)} criteria, "
        f"{queries} queries, {evidence} with evidence"
    )
