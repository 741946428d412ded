"""Bundles that somebody else made: their hashes agree, and nothing else need."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from tests.hostile.conftest import EXAMPLE, Call, change_master, rehash

COMMANDS = ("verify", "gate", "report")


@pytest.mark.parametrize(
    "name", ["a\0b", "x" * 5000, "", ".", "/etc/passwd", "../x", "a\\b", "c:d", "\udc80x"]
)
def test_names_in_a_manifest(name: str, bundle: Path, call: Call) -> None:
    path = bundle / "MANIFEST.json"
    document = json.loads(path.read_text())
    document["files"][name] = "0" * 64
    path.write_text(json.dumps(document))
    for command in COMMANDS:
        call(command, bundle).refused("MANIFEST.json")


def test_a_loop_of_links(bundle: Path, call: Call) -> None:
    (bundle / "loop").symlink_to("loop")
    path = bundle / "MANIFEST.json"
    document = json.loads(path.read_text())
    document["files"]["loop"] = "0" * 64
    path.write_text(json.dumps(document))
    call("verify", bundle).refused("MANIFEST.json", "loop")


@pytest.mark.parametrize(
    "name",
    [
        "MANIFEST.json",
        "metrics_master.json",
        "per_query.csv",
        "candidates.csv.gz",
        "gold.csv",
        "summary.json",
        "ro-crate-metadata.json",
        "per_post.csv",
    ],
)
def test_a_pipe_is_never_opened(name: str, bundle: Path, call: Call) -> None:
    """`verify` waited for ever for somebody to write into it."""
    (bundle / name).unlink()
    os.mkfifo(bundle / name)
    for command in COMMANDS:
        assert call(command, bundle).code in (1, 2)


def _set(*path: Any) -> Callable[[dict[str, Any]], None]:
    *keys, last, value = path

    def change(document: dict[str, Any]) -> None:
        node: Any = document
        for key in keys:
            node = node[key]
        node[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_set("measures", 0, "value", "high"), ("/measures/0/value", "number")),
        (_set("measures", 0, "value", None), ("/measures/0/value", "number")),
        (_set("measures", 0, "value", 10**400), ("/measures/0/value", "number")),
        (_set("measures", 0, "n", -1), ("/measures/0/n",)),
        (_set("measures", 0, "definition", "nope:x=1"), ("/measures/0/definition",)),
        (_set("measures", {}), ("/measures", "array")),
        (_set("counts", "queries", 10**30), ("/counts/queries",)),
        (_set("contract", "depth", 10**30), ("/contract/depth",)),
        (_set("contract", "targets", {"auroc": "quite high"}), ("target", "quite high")),
        (_set("contract", "targets", {"auroc": 7}), ("/contract/targets/auroc", "string")),
        (_set("contract", "deployment", "nope"), ("nope",)),
        (_set("contract", "confidence", 7), ("confidence",)),
        (_set("keys", []), ("keys",)),
        (_set("keys", ["nope"]), ("nope",)),
        (_set("keys", 7), ("/keys", "array")),
        (
            _set("bootstrap", {"resamples": 10**9, "seed": 0, "unit": "post", "method": "bca", "level": 0.9}),
            ("resamples", "100,000"),
        ),
        (_set("more", 1), ("'more'",)),
        (lambda document: document.pop("groups"), ("has no groups",)),
    ],
)
def test_documents_of_another_shape(
    change: Callable[[dict[str, Any]], object], words: tuple[str, ...], bundle: Path, call: Call
) -> None:
    change_master(bundle, change)
    call("verify", bundle).refused(*words)
    call("report", bundle).refused(*words)
    with pytest.raises(assay.AssayError):
        assay.load(bundle)


@pytest.mark.parametrize(
    ("table", "old", "new", "words"),
    [
        ("per_query.csv", "POS", "MAYBE", ("state is 'MAYBE'", "UNCERTAIN")),
        ("per_query.csv", "has_evidence", "x", ("has_evidence",)),
        ("per_query.csv", "post_id", "x", ("post_id",)),
        ("per_query.csv", "p01,sleep", "p01,", ("criterion_id is empty",)),
        ("per_query.csv", "0.94", "1.94", ("prob is 1.94", "[0, 1]")),
        ("per_query.csv", "0.94", "high", ("per_query.csv",)),
        ("gold.csv", "grade", "x", ("gold.csv", "grade")),
        ("gold.csv", "1.0\n", "much\n", ("gold.csv",)),
        ("gold.csv", "1.0\n", "1e308\n", ("gold.csv row 2: grade is 1e", "±1000")),
        ("candidates.csv.gz", ",0.85,", ",nan,", ("score is nan", "finite")),
        ("gold.csv", "p01,sleep", "p01,nope", ("unknown queries",)),
        ("gold.csv", "p01,sleep,p01.6", "p01,sleep,p01.2", ("gold.csv", "judgement twice")),
        ("gold.csv", "item", "item\0", ("gold.csv", "item")),
        ("candidates.csv.gz", "score", "x", ("candidates.csv.gz", "score")),
        ("candidates.csv.gz", "p01,sleep", "p99,sleep", ("unknown queries",)),
    ],
)
def test_tables_of_another_shape(
    table: str, old: str, new: str, words: tuple[str, ...], bundle: Path, call: Call
) -> None:
    path = bundle / table
    packed = table.endswith(".gz")
    text = gzip.decompress(path.read_bytes()).decode() if packed else path.read_text()
    assert old in text
    data = text.replace(old, new).encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    rehash(bundle)
    for command in ("verify", "report", "audit"):
        call(command, bundle).refused(*words)


def test_a_threshold_without_its_column(bundle: Path, call: Call) -> None:
    """A measure at a TUNE threshold read a column that the header no longer had."""
    decisions = EXAMPLE / "predictions" / "decisions.csv"
    lines = decisions.read_text().splitlines()
    tune = bundle.parent / "tune.csv"
    tune.write_text("\n".join(line for line in lines if not line.startswith("p0")))
    predictions = bundle.parent / "predictions"
    predictions.mkdir()
    for name in ("candidates.csv", "decisions.csv"):
        rows = (EXAMPLE / "predictions" / name).read_text().splitlines()
        (predictions / name).write_text("\n".join(row for row in rows if not row.startswith("p1")))
    result = assay.evaluate(
        predictions, EXAMPLE / "corpus", tune=tune, measures=["tune/f1"], bootstrap=assay.Bootstrap(5)
    )
    made = result.save(bundle.parent / "tuned")
    path = made / "per_query.csv"
    (rule,) = {each.rule for each in result.thresholds}
    path.write_text(path.read_text().replace(f"threshold_{rule}", "other", 1))
    rehash(made)
    call("verify", made).refused("per_query.csv", f"threshold_{rule}")


def test_a_decision_without_its_column(bundle: Path, call: Call) -> None:
    """Its resamples were computed although the table no longer had what they need."""
    plan = assay.Bootstrap(5)
    result = assay.evaluate(
        EXAMPLE / "predictions", EXAMPLE / "corpus", measures=["evidence_recall", "mrr"], bootstrap=plan
    )
    made = result.save(bundle.parent / "decided")
    path = made / "per_query.csv"
    path.write_text(path.read_text().replace("selected_k", "other", 1))
    rehash(made)
    assert call("verify", made).code in (1, 2)


def test_a_gate_speaks_although_a_hash_differs(bundle: Path, call: Call) -> None:
    """It wrote its verdict and then failed, with exit code 2, on the page that was not there."""
    with (bundle / "summary.json").open("a") as file:
        file.write("\n")
    ran = call("gate", bundle)
    assert ran.code == 1
    assert "was changed" in ran.out
    assert json.loads((bundle / "gate.json").read_text())["passed"] is False


def test_a_selected_k_of_a_trillion(bundle: Path, call: Call) -> None:
    """Its histogram was an array of a trillion places."""
    path = bundle / "per_query.csv"
    path.write_text(path.read_text().replace("0.94,4,POS", "0.94,1000000000000,POS"))
    rehash(bundle)
    assert "1000000000000" in path.read_text()
    assert call("verify", bundle).code in (1, 2)


def test_files_that_no_manifest_lists(bundle: Path, call: Call) -> None:
    clean = call("verify", bundle)
    assert clean.code == 0
    assert "no manifest" not in clean.out
    (bundle / "notes.txt").write_text("x")
    (bundle / "more").mkdir()
    (bundle / "more" / "link").symlink_to("/etc/passwd")
    (bundle / "gate.json").write_text("{}")
    ran = call("verify", bundle)
    assert ran.code == 0
    assert "the manifest does not list them: more/link, notes.txt." in ran.out
    assert json.loads(call("verify", bundle, "--json").out)["unlisted"] == ["more/link", "notes.txt"]
