"""One query per line: {"post", "criterion", "sentences", "evidence"}, as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.data.importers.imported_corpus import Imported
from assay.data.importers.sentence_split import sentences_of
from assay.data.readers.column_names import column_list
from assay.data.readers.json_toml import parse_json
from assay.data.readers.text_blocks import check_utf8, read_all
from assay.errors import Fault, InputError, shown
from assay.files.input_file import InputFile

TEXTS = ("post", "criterion", "criterion_text", "text")
NEEDED = {"post", "criterion", "evidence"}
EXPECTED = "expected post, criterion, sentences (or text) and evidence"


def read_jsonl(path: Path) -> Imported:
    """Import one query per line; `evidence` holds indices into `sentences`, from 0.

    `text` instead of `sentences` is split into sentences. `criterion_text` is the wording of a
    criterion. All lines of a post must have the same sentences.
    """
    data = read_all(InputFile(path))
    check_utf8(data, 1, path.name)
    posts: dict[str, list[str]] = {}
    criteria: dict[str, str] = {}
    queries: dict[tuple[str, str], None] = {}
    gold: list[tuple[str, str, str]] = []
    faults: list[Fault] = []
    for number, line in enumerate(data.decode().split("\n"), start=1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            row = parse_json(line, path.name, place)
        except InputError as error:
            faults += error.faults
            continue
        problem = _line(row, posts, criteria, queries, gold)
        if problem:
            faults.append(Fault(path.name, place, problem, EXPECTED))
    if faults:
        raise InputError(faults)
    sentences = [
        (post, f"{post}_{at}", at, text) for post, texts in posts.items() for at, text in enumerate(texts)
    ]
    return Imported(sentences, list(criteria.items()), gold, list(queries))


def _line(
    row: Any,
    posts: dict[str, list[str]],
    criteria: dict[str, str],
    queries: dict[tuple[str, str], None],
    gold: list[tuple[str, str, str]],
) -> str | None:
    """Add a line, or return what is wrong with it."""
    if not isinstance(row, dict) or not set(row) >= NEEDED:
        has = f" ({column_list(row, header=True)})" if isinstance(row, dict) else ""
        return f"has no post, criterion or evidence{has}"
    wrong = [name for name in TEXTS if not isinstance(row.get(name, ""), str | int)]
    if wrong:
        return f"{wrong[0]} is {shown(row[wrong[0]])}"
    post, criterion, evidence = str(row["post"]), str(row["criterion"]), row["evidence"]
    sentences = row.get("sentences")
    if sentences is None:
        sentences = [each.text for each in sentences_of(str(row.get("text", "")))]
    if not isinstance(sentences, list) or not sentences:
        return f"post {shown(post)} has no sentence"
    same = posts.setdefault(post, [str(each) for each in sentences]) == list(map(str, sentences))
    places = range(len(sentences))
    right = isinstance(evidence, list) and all(
        isinstance(at, int) and not isinstance(at, bool) and at in places for at in evidence
    )
    problems = {
        f"post {shown(post)} has different sentences on an earlier line": same,
        f"evidence is {shown(evidence)} of {len(sentences)} sentences": right,
        f"query {shown(post)} {shown(criterion)} is repeated": (post, criterion) not in queries,
    }
    for problem, fine in problems.items():
        if not fine:
            return problem
    criteria.setdefault(criterion, str(row.get("criterion_text", criterion)))
    queries[post, criterion] = None
    gold.extend((post, criterion, f"{post}_{at}") for at in sorted(set(evidence)))
    return None
