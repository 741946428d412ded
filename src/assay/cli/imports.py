"""`assay import`: a data set of others as a corpus, and what was left out of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from assay.cli.ending import finish, tell
from assay.cli.table import show
from assay.data.importers.contractnli import read_contractnli
from assay.data.importers.corpus import Imported, write_corpus
from assay.data.importers.jsonl import read_jsonl
from assay.data.importers.redsm5 import read_redsm5
from assay.data.importers.squad2 import read_squad2
from assay.errors import Fault, InputError, shown
from assay.files.staging import Staging

KINDS: dict[str, tuple[int, Callable[..., Imported]]] = {
    "redsm5": (2, read_redsm5),
    "squad2": (1, read_squad2),
    "contractnli": (1, read_contractnli),
    "jsonl": (1, read_jsonl),
}
"""How many files each takes, and what reads them."""


def import_command(
    kind: str, files: Sequence[Path], output: Path, *, with_text: bool = False
) -> None:
    """Read, check as a corpus, write; notes go to stderr."""
    if kind not in KINDS:
        raise InputError.of("import", f"kind is {shown(kind)}", f"expected {', '.join(KINDS)}")
    count, read = KINDS[kind]
    if len(files) != count:
        raise InputError.of("import", f"has {len(files)} files", f"{kind} takes {count}")
    absent = [file for file in files if not file.exists() or file.is_dir()]
    if absent:
        expected = "expected a file to import"
        raise InputError(Fault(str(file), "", "is no file", expected) for file in absent)
    if with_text and kind != "redsm5":
        raise InputError.of("import", "--with-text was given", "it is for redsm5 only")
    made = read(*files, with_text=True) if with_text else read(*files)
    with Staging() as staging:
        write_corpus(made, output, files[0].name, staging)
        for note in made.notes:
            tell(note)
        finish(staging, lambda: show(_summary(made)))


def _summary(made: Imported) -> str:
    posts = len({row[0] for row in made.sentences})
    queries = posts * len(made.criteria) if made.queries is None else len(made.queries)
    evidence = len({row[:2] for row in made.gold})
    return (
        f"{posts} posts, {len(made.sentences)} sentences, {len(made.criteria)} criteria, "
        f"{queries} queries, {evidence} with evidence"
    )
