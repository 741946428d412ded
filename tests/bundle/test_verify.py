"""What was changed is found: by the hashes, by the second implementation, by the tables."""

from __future__ import annotations

import gzip
import json
import random
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from assay.evaluation.bundle.bundle_files import check_hashes, sha256
from assay.metrics.core.entry import Scored
from assay.metrics.core.reduce import Reduced
from assay.verification.recompute.number_findings import numbers, shown_difference
from assay.verification.recompute.verify import verify
from tests.report import worlds

from .conftest import PLAN, tables


@pytest.fixture
def copy(bundle: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(bundle, tmp_path / "copy"))


def hashed_anew(folder: Path) -> None:
    """As somebody would who changed a file and wants nobody to see it."""
    manifest = json.loads((folder / "MANIFEST.json").read_text())
    for name in manifest["files"]:
        manifest["files"][name] = sha256(folder / name)
    (folder / "MANIFEST.json").write_text(json.dumps(manifest))


def test_states_that_contradict_their_thresholds_are_named(copy: Path) -> None:
    """Also where manifest and crate were both regenerated."""
    path = copy / "per_query.csv"
    frame = pl.read_csv(path, schema_overrides={"fold": pl.String})
    assert set(frame["tau_neg"]) == {0.2}
    frame.with_columns(tau_neg=pl.lit(0.3)).write_csv(path)
    hashed_anew(copy)
    found = {each.what for each in verify(copy, draws=2).failed}
    assert "per_query.csv states" in found
    frame.write_csv(path)
    assert "per_query.csv states" not in {each.what for each in verify(copy, draws=2).failed}


@pytest.mark.parametrize("name", ["result", "plain", "labels"])
def test_an_honest_bundle_is_verified(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    result: assay.Result = request.getfixturevalue(name)
    made = verify(result.save(tmp_path / "bundle"))
    assert made.ok, [each.to_dict() for each in made.failed[:5]]
    assert made.largest < 1e-9
    named = {each.what for each in made.findings}
    for value in result.measures:
        assert f"measures/{value.name}/value" in named
        if value.interval is not None:
            assert f"draws/{value.name}" in named


def digits(text: str) -> list[int]:
    """Places of digits that belong to numbers."""
    return [match.start() for match in re.finditer(r"(?<=[\d.:\s,-])\d", text)]


def changed(text: str, place: int) -> str:
    other = str((int(text[place]) + 5) % 10)
    return text[:place] + other + text[place + 1 :]


def leaves(node: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a document with its place; in a list, by the name it has or by its number."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from leaves(value, f"{place}{key}/")
    elif isinstance(node, list):
        for at, value in enumerate(node):
            name = value.get("name", at) if isinstance(value, dict) else at
            yield from leaves(value, f"{place}{name}/")
    else:
        yield place.rstrip("/"), node


def tampered(folder: Path, text: str) -> Path:
    """The bundle with another master document, and every hash of the manifest recomputed."""
    (folder / "metrics_master.json").write_text(text)
    assert check_hashes(folder)
    hashed_anew(folder)
    return folder


def test_every_number_changed_in_the_figures_is_named(copy: Path) -> None:
    """A few hundred at once, a digit of each."""
    text = new = (copy / "metrics_master.json").read_text()
    numbers = re.finditer(r"(?<=[ \n])-?(\d+(\.\d+)?)([eE][+-]?\d+)?(?=[,\n])", text)
    draw = random.Random(4)
    for match in draw.sample([each for each in numbers if each.start() > text.index('"counts"')], 400):
        place = draw.randrange(*match.span(2 if match[2] else 1))  # after the point, if it has one
        if not text[place].isdigit():
            continue
        other = changed(new, place)
        with suppress(json.JSONDecodeError):  # 50 to 00
            number = json.loads(other[match.start() : match.end()])
            if abs(number - float(match.group())) > 1e-9:  # the tolerance
                new = other
    before, after = dict(leaves(json.loads(text))), dict(leaves(json.loads(new)))
    moved = {place for place in before if before[place] != after[place]}
    assert len(moved) > 200
    made = verify(tampered(copy, new), draws=2)
    assert moved <= {each.what for each in made.failed}


def test_a_digit_changed_in_the_head_is_found(bundle: Path, tmp_path: Path) -> None:
    """Contract, bootstrap: refused, or named. (Of the versions only the crate knows.)"""
    text = (bundle / "metrics_master.json").read_text()
    begin, end = text.index('"contract"'), text.index('"counts"')
    head = [place for place in digits(text) if begin < place < end]
    for number, place in enumerate(random.Random(4).sample(head, 4)):
        folder = Path(shutil.copytree(bundle, tmp_path / str(number)))
        try:
            made = verify(tampered(folder, changed(text, place)), draws=2)
        except assay.AssayError:
            continue
        named = {each.what for each in made.failed} - {"ro-crate-metadata.json"}
        assert named, text[place - 60 : place + 20]


@pytest.mark.parametrize(
    ("name", "find", "put"),
    [
        ("per_query.csv", ",POS,", ",UNCERTAIN,"),
        ("per_query.csv", "p000,c,0,1,", "p000,c,1,1,"),
        ("gold.csv", ",1\n", ",0\n"),
        ("tune.csv", ",1\n", ",0\n"),
        ("candidates.csv.gz", "0.", "7."),
        ("summary.json", '"value": 0.', '"value": 0.0'),
        ("per_post.csv", ",3,", ",4,"),
        ("every_eval_ever.json", '"score": 0.', '"score": 0.0'),
        ("ro-crate-metadata.json", '"contentSize": "1', '"contentSize": "2'),
    ],
)
def test_a_table_changed_is_found(copy: Path, name: str, find: str, put: str) -> None:
    path = copy / name
    data = path.read_bytes()
    text = (gzip.decompress(data) if name.endswith(".gz") else data).decode()
    if name == "gold.csv":
        find, put = ("1.0\n", "0.0\n") if "1.0\n" in text else (find, put)
    assert find in text
    fresh = text.replace(find, put, 1).encode()
    path.write_bytes(gzip.compress(fresh) if name.endswith(".gz") else fresh)
    assert check_hashes(copy)
    hashed_anew(copy)
    with suppress(assay.InputError):  # it may contradict itself, and is refused then
        named = {each.what for each in verify(copy, draws=2).failed}
        assert named - {"ro-crate-metadata.json"} or name == "ro-crate-metadata.json"


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/../../b", "..\\x", "C:/x"])
def test_a_manifest_that_leaves_the_folder_is_refused(copy: Path, name: str) -> None:
    manifest = json.loads((copy / "MANIFEST.json").read_text())
    manifest["files"][name] = "0" * 64
    (copy / "MANIFEST.json").write_text(json.dumps(manifest))
    for read in (assay.load, verify):
        with pytest.raises(assay.InputError, match="expected names inside the bundle"):
            read(copy)


def test_a_link_out_of_the_folder_is_refused(copy: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.csv"
    shutil.copy(copy / "gold.csv", outside)
    (copy / "gold.csv").unlink()
    (copy / "gold.csv").symlink_to(outside)
    with pytest.raises(assay.InputError, match="expected names inside the bundle"):
        assay.load(copy)


def test_what_is_not_a_bundle(tmp_path: Path) -> None:
    for break_it, words in (
        (lambda folder: (folder / "MANIFEST.json").unlink(), "has no MANIFEST.json"),
        (lambda folder: (folder / "MANIFEST.json").write_text("{"), "is not JSON"),
        (lambda folder: (folder / "MANIFEST.json").write_text("[]"), "has no table files"),
    ):
        corpus, answered = tables(1)
        folder = assay.evaluate(answered, corpus).save(tmp_path / "b", overwrite=True)
        break_it(folder)
        with pytest.raises(assay.InputError, match=words):
            assay.load(folder)
        shutil.rmtree(folder)


def test_every_mutant_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, result: assay.Result) -> None:
    """Wrong kernels, one per measure: the second implementation names each of them."""
    honest = Scored.settled

    def wrong(self: Scored, reduced: Reduced, empty: np.ndarray) -> Reduced:
        made = honest(self, reduced, empty)
        low, _ = self.metric.range
        middle = 0.0 if np.isinf(low) else low
        moved = np.where(made.values > middle, made.values - 1e-6, made.values + 1e-6)
        return replace(made, values=moved)

    corpus, answered = tables(1)
    with monkeypatch.context() as patched:
        patched.setattr(Scored, "settled", wrong)
        folder = assay.evaluate(answered, corpus).save(tmp_path / "mutants")
    made = verify(folder)
    named = {
        each.what.split("/value")[0].removeprefix("measures/") for each in made.failed if each.by == "oracle"
    }
    assert {value.name for value in result.measures} <= named


def test_from_the_original_files(
    call_cli: Callable[..., tuple[int, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worlds.one_figure(monkeypatch)  # a report is enough
    example = Path(str(files("assay.example")))
    paths = [str(example / "predictions"), "--corpus", str(example / "corpus")]
    code, _ = call_cli("evaluate", *paths, "--ci", "40", "-o", str(tmp_path / "b"))
    assert code == 0
    assert (tmp_path / "b" / "report.html").is_file()  # unless it is left out
    code, _ = call_cli(
        "evaluate", *paths, "--ci", "40", "-o", str(tmp_path / "b"), "--overwrite", "--no-report"
    )
    assert code == 0
    assert not (tmp_path / "b" / "report.html").exists()
    code, text = call_cli("verify", str(tmp_path / "b"), "--predictions", *paths)
    assert code == 0
    assert "verified" in text
    other = Path(shutil.copytree(example / "predictions", tmp_path / "other"))
    lines = (other / "candidates.csv").read_text().splitlines()
    lines[1] = lines[1].rpartition(",")[0] + ",0.99"
    (other / "candidates.csv").write_text("\n".join(lines))
    code, text = call_cli("verify", str(tmp_path / "b"), "--predictions", str(other), *paths[1:])
    assert code == 1
    assert "inputs/candidates.csv.gz" in text
    assert PLAN.resamples == 60


def test_statements_are_not_counted_as_numbers(copy: Path) -> None:
    """Records, tables and the contract either hold or not: they are not numbers."""
    text = (copy / "metrics_master.json").read_text()
    document = json.loads(text)
    made = verify(copy, draws=2)
    statements = [each for each in made.findings if each.value is None and each.recomputed is None]
    assert {"document", "contract", "ro-crate-metadata.json"} <= {each.what for each in statements}
    counted = {each.what for each in made.findings} - {each.what for each in statements}
    assert made.compared == len(counted) - made.only_inputs

    name = document["measures"][0]["name"]
    document["measures"][0]["value"] += 0.25
    document["measures"][0]["title"] += " and more"
    failed = verify(tampered(copy, json.dumps(document)), draws=2)
    assert failed.compared >= made.compared
    verdict = failed.summary
    # Both implementations report the value, and the summary repeats it.
    wrong = {f"measures/{name}/value", f"summary/measures/{name}/value"}
    assert {each.what for each in failed.failed if each.is_number} >= wrong
    assert verdict.startswith(f"{len(numbers(failed.failed))} of {failed.compared:,} numbers rec")
    assert verdict.endswith(" other checks failed")


def test_the_largest_difference_is_the_real_one(copy: Path) -> None:
    """A value that is off by less than the tolerance is verified, and the difference is shown."""
    document = json.loads((copy / "metrics_master.json").read_text())
    assert verify(copy, draws=2).largest < 1e-12
    interval = next(each["interval"] for each in document["measures"] if each.get("interval"))
    interval["low"] += 4e-10  # the second implementation has no intervals: assay itself finds it
    (copy / "metrics_master.json").write_text(json.dumps(document))
    made = verify(copy, draws=2)
    assert made.largest == pytest.approx(4e-10, rel=1e-3)
    assert shown_difference(made.largest) == "4.0e-10"
    assert [shown_difference(each) for each in (0.0, 2.2e-16)] == ["0", "2.2e-16"]


def test_all_findings_are_printed_with_their_verdict(
    copy: Path, call_cli: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A statement has no values, so the table must say that it holds."""
    monkeypatch.setenv("COLUMNS", "200")
    code, out = call_cli("verify", str(copy), "--draws", "2", "--all")
    assert code == 0
    rows = {line.split("  ")[0]: line.split() for line in out.splitlines() if line}
    assert rows["ro-crate-metadata.json"][1:] == ["–", "–", "–", "holds"]
    assert rows["counts/queries"][-1] == "0"
