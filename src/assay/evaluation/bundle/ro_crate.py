"""RO-Crate metadata of a bundle, so that archives can read what it is and how it came about.

Follows RO-Crate 1.1 and the Process Run Crate profile 0.5: one action, whose instrument is assay,
whose objects are the inputs (by hash, they are not in the crate) and whose results are the files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.evaluation.bundle.bundle_files import sha256
from assay.version import published

NAME = "ro-crate-metadata.json"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
TERMS = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
KINDS = {".json": "application/json", ".csv": "text/csv", ".gz": "application/gzip"}
MEANINGS = {
    "metrics_master.json": "every number with its definition, population, count and interval",
    "summary.json": "names, values and intervals, in short",
    "per_query.csv": "one row per query: counts, decisions, thresholds and values",
    "candidates.csv.gz": "one row per candidate, in input order",
    "gold.csv": "every judgement of every query",
    "tune.csv": "the queries that thresholds were chosen on",
    "per_post.csv": "one row per post",
    "every_eval_ever.json": "the same values in the Every Eval Ever schema",
}


def crate(folder: Path, document: dict[str, Any], names: list[str], day: str | None = None) -> dict[str, Any]:
    """Return the metadata of these files of the folder, published on a day."""
    inputs = [_input(place, each) for place, each in enumerate(document["inputs"])]
    day = published().isoformat() if day is None else day
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"{document['system']} under {document['contract']['id']}",
        "description": "An evaluation by assay, with the tables that its numbers follow from.",
        "datePublished": day,
        "license": "The data are those of whoever evaluated; assay adds no terms.",
        "conformsTo": {"@id": PROFILE},
        "hasPart": [{"@id": name} for name in names],
        "mentions": {"@id": "#evaluation"},
    }
    action = {
        "@id": "#evaluation",
        "@type": "CreateAction",
        "name": f"Evaluation under {document['contract']['id']}",
        "instrument": {"@id": "#assay"},
        "object": [{"@id": each["@id"]} for each in inputs],
        "result": [{"@id": name} for name in names],
        "endTime": day,
    }
    application = {
        "@id": "#assay",
        "@type": "SoftwareApplication",
        "name": "assay",
        "softwareVersion": document["versions"]["assay"],
        "softwareRequirements": [
            f"{name} {version}" for name, version in document["versions"].items() if name != "assay"
        ],
    }
    graph = [
        {
            "@id": NAME,
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": CONTEXT.removesuffix("/context")},
        },
        root,
        {
            "@id": PROFILE,
            "@type": "CreativeWork",
            "name": "Process Run Crate",
            "version": PROFILE.rpartition("/")[2],
        },
        action,
        application,
        *inputs,
        *(_file(name, folder / name) for name in names),
    ]
    return {"@context": [CONTEXT, TERMS], "@graph": graph}


def _input(place: int, each: dict[str, Any]) -> dict[str, Any]:
    return {
        "@id": f"#input-{place}",
        "@type": "CreativeWork",
        "name": each["name"],
        "description": "an input, known by its hash; it is not in this crate",
        "contentSize": str(each["bytes"]),
        "sha256": each["sha256"],
    }


def _file(name: str, path: Path) -> dict[str, Any]:
    return {
        "@id": name,
        "@type": "File",
        "name": Path(name).name,
        "description": MEANINGS.get(name, "a JSON schema of this bundle"),
        "encodingFormat": KINDS.get(path.suffix, "application/octet-stream"),
        "contentSize": str(path.stat().st_size),
        "sha256": sha256(path),
    }
