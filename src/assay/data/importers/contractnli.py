"""ContractNLI: contracts split into spans, and the spans for or against each hypothesis."""

from __future__ import annotations

from pathlib import Path

from assay.data.importers.imported_corpus import Imported
from assay.data.readers.json_toml import read_json
from assay.errors import InputError


def read_contractnli(path: Path) -> Imported:
    """Import contracts as posts and hypotheses as criteria; spans of both choices are evidence."""
    document = read_json(path)
    made = Imported([], [], [])
    try:
        for name, label in document["labels"].items():
            made.criteria.append((name, _text(label["hypothesis"])))
        for contract in document["documents"]:
            post, text = str(contract["id"]), _text(contract["text"])
            kept: dict[int, str] = {}
            for at, (start, end) in enumerate(contract["spans"]):
                if text[start:end].strip():
                    kept[at] = f"{post}_{at}"
                    made.sentences.append((post, kept[at], at, text[start:end].strip()))
            for name, answer in contract["annotation_sets"][0]["annotations"].items():
                made.gold.extend((post, name, kept[at]) for at in sorted(set(answer["spans"])) if at in kept)
            if not kept:
                made.notes.append(f"{post} has no sentence; left out")
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        problem = f"is malformed ({type(error).__name__})"
        expected = "expected labels, and documents with id, text, spans, annotation_sets"
        raise InputError.of(path.name, problem, expected) from None
    return made


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
