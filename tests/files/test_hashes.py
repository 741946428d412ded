"""The bytes that were hashed are the bytes that were parsed; a loaded bundle is a snapshot."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import polars as pl
import pytest

import assay
from assay.data.readers import text_blocks
from assay.data.readers.qrels_and_runs import read_qrels, read_run
from assay.data.runs import JudgedRun
from assay.evaluation.bundle.snapshot import unchanged
from assay.files import input_file
from assay.files.input_file import Digest, InputFile
from assay.verification.publication_gate import publication_gate
from assay.verification.recompute.verify import verify
from tests.command import exit_code

QRELS = "q1 0 d1 1\nq2 0 d3 1\n"
RUN = "q1 Q0 d1 1 0.9 t\nq1 Q0 d2 2 0.8 t\nq2 Q0 d3 1 0.7 t\nq2 Q0 d4 2 0.6 t\n"
OTHER = RUN.replace("d1", "dx")  # as many bytes, another value


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(RUN)
    return tmp_path


def inputs(bundle: Path) -> dict[str, tuple[int, str]]:
    document = json.loads((bundle / "metrics_master.json").read_text())
    return {each["name"]: (each["bytes"], each["sha256"]) for each in document["inputs"]}


def seen(data: str | bytes) -> tuple[int, str]:
    body = data.encode() if isinstance(data, str) else data
    return len(body), hashlib.sha256(body).hexdigest()


def feed(path: Path, data: bytes) -> threading.Thread:
    os.mkfifo(path)
    thread = threading.Thread(target=lambda: path.write_bytes(data), daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("packed", [False, True])
def test_pipes_are_read_once_and_hashed(home: Path, packed: bool) -> None:
    """A bundle needs the run three times."""
    run, qrels = (gzip.compress(each.encode()) if packed else each.encode() for each in (RUN, QRELS))
    threads = [feed(home / "run", run), feed(home / "judged", qrels)]
    result = assay.evaluate(assay.read_trec(home / "judged", home / "run"), contract="trec_eval/10")
    bundle = result.save(home / "bundle")
    for thread in threads:
        thread.join()
    assert result["recip_rank"].value == 1.0
    assert inputs(bundle) == {"judged": seen(qrels), "run": seen(run)}
    assert pl.read_csv(bundle / "candidates.csv.gz").height == 4


def test_a_parquet_run_through_a_pipe(home: Path) -> None:
    body = io.BytesIO()
    frame = pl.DataFrame({"q_id": ["q1", "q1", "q2"], "doc_id": ["d1", "d2", "d3"]})
    frame.with_columns(score=pl.Series([0.9, 0.8, 0.7])).write_parquet(body)
    thread = feed(home / "run.parquet", body.getvalue())
    judged = assay.read_trec(home / "qrels.txt", home / "run.parquet")
    bundle = assay.evaluate(judged, contract="trec_eval/10").save(home / "bundle")
    thread.join()
    assert inputs(bundle)["run.parquet"] == seen(body.getvalue())


def test_an_import_through_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = b'{"post": "p", "criterion": "c", "sentences": ["a", "b"], "evidence": [0]}\n'
    thread = feed(tmp_path / "lines", line)
    assert exit_code(monkeypatch, "import", "jsonl", tmp_path / "lines", "-o", tmp_path / "new") == 0
    thread.join()
    assert (tmp_path / "new" / "gold.csv").read_text().count("\n") == 2


def test_a_run_on_stdin(home: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "assay.cli",
            "evaluate",
            "--qrels",
            str(home / "qrels.txt"),
            "--run",
            "/dev/stdin",
            "--contract",
            "trec_eval/10",
            "-o",
            str(home / "bundle"),
            "--no-report",
        ],
        input=RUN,
        text=True,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert inputs(home / "bundle")["stdin"] == seen(RUN)


def test_tables_through_pipes(tmp_path: Path) -> None:
    body = b"label,prob\n1,0.9\n0,0.1\n"
    thread = feed(tmp_path / "table.csv", body)
    result = assay.evaluate(assay.read_decisions(tmp_path / "table.csv"))
    assert inputs(result.save(tmp_path / "bundle")) == {"table.csv": seen(body)}
    thread.join()


def test_devices_and_large_pipes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(assay.InputError, match="is a device; expected a file or a pipe"):
        InputFile("/dev/zero").read()
    monkeypatch.setattr(input_file, "LARGEST_PIPE", 1000)
    thread = feed(tmp_path / "pipe", b"x" * 2000)
    with pytest.raises(assay.InputError, match="a pipe with more than"):
        InputFile(tmp_path / "pipe").read()
    thread.join()


def changed(path: Path, kind: str) -> None:
    """The file gets other bytes, in its place or as a new file of the same name and size."""
    if kind == "in place":
        path.write_text(OTHER)
    elif kind == "replaced":
        path.with_name("fresh").write_text(OTHER)
        path.with_name("fresh").replace(path)
    else:
        pl.read_parquet(path).with_columns(score=-pl.col("score")).write_parquet(path)


@pytest.mark.parametrize("hashed", [False, True])
@pytest.mark.parametrize("kind", ["in place", "replaced", "parquet"])
def test_a_run_that_changes_before_it_is_saved(home: Path, kind: str, hashed: bool) -> None:
    run = home / "run.txt"
    if kind == "parquet":
        run = home / "run.parquet"
        frame = pl.DataFrame({"q_id": ["q1", "q1", "q2"], "doc_id": ["d1", "d2", "d3"]})
        frame.with_columns(score=pl.Series([0.9, 0.8, 0.7])).write_parquet(run)
    judged = JudgedRun(read_qrels(home / "qrels.txt"), read_run(run, hashed=hashed))
    result = assay.evaluate(judged, contract="trec_eval/10")
    changed(run, kind)
    with pytest.raises(assay.InputError, match="changed while it was being read"):
        result.save(home / "bundle")
    assert not (home / "bundle").exists()
    assert not list(home.glob(".*"))


def test_tables_that_change_keep_the_hash_of_what_was_parsed(tmp_path: Path) -> None:
    example = Path(str(files("assay.example")))
    folder = tmp_path / "predictions"
    folder.mkdir()
    for path in (example / "predictions").iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    before = {path.name: seen(path.read_bytes()) for path in folder.iterdir()}
    result = assay.evaluate(folder, example / "corpus")
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes().replace(b"0.9", b"0.1"))
    bundle = result.save(tmp_path / "bundle")
    found = inputs(bundle)
    assert {name: found[name] for name in before} == before
    assert verify(bundle, draws=1).ok


def test_judgements_that_change_between_two_looks(home: Path) -> None:
    """The second look is for the message about repeated lines."""
    path = home / "qrels.txt"
    path.write_text(QRELS + "q1 0 d1 1\n")
    held = InputFile(path)
    text_blocks.read_all(held)
    path.write_text(QRELS)
    with pytest.raises(assay.InputError, match="changed while it was being read"):
        text_blocks.read_all(held)


@pytest.mark.parametrize("hashed", [False, True])
def test_a_parquet_run_that_is_written_to_while_it_is_read(tmp_path: Path, hashed: bool) -> None:
    path = tmp_path / "run.parquet"
    path.write_bytes(b"x" * 10_000)
    file = InputFile(path, hashed=hashed)
    with pytest.raises(assay.InputError, match="changed while"), file.mapped():  # noqa: PT012
        os.utime(path, (1, 1))
        path.write_bytes(b"y" * 10_000)


@pytest.mark.parametrize("at", ["first", "second"])
def test_a_run_that_is_written_to_while_it_is_read(home: Path, at: str) -> None:
    """Scored without a hash; it changes in the midst of that pass or of the one that is hashed."""
    path = home / "run.txt"
    file = InputFile(path, hashed=False)

    def whole(meanwhile: bool) -> None:
        for block in text_blocks.blocks(file, size=20):
            if meanwhile and block.startswith(b"q2"):
                path.write_text(OTHER)

    if at == "second":
        whole(meanwhile=False)
        file.hashed = True
    with pytest.raises(assay.InputError, match="changed while it was being read"):
        whole(meanwhile=True)


@pytest.mark.parametrize("packed", [False, True])
def test_a_run_is_hashed_when_it_is_scored_or_saved(home: Path, packed: bool) -> None:
    body = gzip.compress(RUN.encode()) if packed else RUN.encode()
    (home / "run.txt").write_bytes(body)
    for hashed in (False, True):
        judged = JudgedRun(read_qrels(home / "qrels.txt"), read_run(home / "run.txt", hashed=hashed))
        result = assay.evaluate(judged, contract="trec_eval/10")
        bundle = result.save(home / "bundle", overwrite=True)
        assert inputs(bundle) == {"qrels.txt": seen(QRELS), "run.txt": seen(body)}


def test_the_hash_of_tune(tmp_path: Path) -> None:
    """TUNE of plain decisions is an input like any other."""
    scored, tune = b"label,prob\n1,0.9\n0,0.1\n", b"label,prob\n1,0.8\n0,0.3\n"
    (tmp_path / "scored.csv").write_bytes(scored)
    (tmp_path / "tune.csv").write_bytes(tune)
    given = assay.read_decisions(tmp_path / "scored.csv")
    bundle = assay.evaluate(given, tune=tmp_path / "tune.csv").save(tmp_path / "bundle")
    assert inputs(bundle) == {"scored.csv": seen(scored), "tune.csv": seen(tune)}


def test_digests_of_many_blocks() -> None:
    blocks = [bytes([at]) * (1 << 14) for at in range(50)]
    with Digest() as digest:
        for block in blocks:
            digest.update(block)
        assert digest.finish() == seen(b"".join(blocks))
    with Digest() as digest:
        assert digest.finish() == seen(b"")


def results() -> list[assay.Result]:
    judged = [
        assay.read_trec(
            pl.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["d1", "d2"], "grade": [1, 1]}),
            {"q1": {"d1": first, "d2": 1.0}, "q2": {"d2": first, "d1": 1.0}},
        )
        for first in (2.0, 0.5)
    ]
    return [assay.evaluate(each, contract="trec_eval/10") for each in judged]


def test_a_loaded_bundle_is_a_snapshot(tmp_path: Path) -> None:
    """Its table is that of its values, also after another system took its place."""
    first, second = results()
    first.save(tmp_path / "bundle")
    loaded = assay.load(tmp_path / "bundle")
    second.save(tmp_path / "bundle", overwrite=True)
    assert loaded["recip_rank"].value == 1.0
    assert loaded.per_query()["recip_rank"].to_list() == [1.0, 1.0]


@pytest.mark.parametrize("table", ["candidates", "gold"])
def test_an_opened_bundle_refuses_other_tables(tmp_path: Path, table: str) -> None:
    first, second = results()
    first.save(tmp_path / "bundle")
    opened = assay.load(tmp_path / "bundle").bundle
    second.save(tmp_path / "bundle", overwrite=True)
    if table == "gold":
        with (tmp_path / "bundle" / "gold.csv").open("a") as file:
            file.write("q2,d9,1.0\n")
    with pytest.raises(assay.InputError, match="was changed"):
        getattr(opened, table)


@pytest.mark.parametrize("kind", ["overwritten", "edited"])
@pytest.mark.parametrize("fails", [False, True])
def test_what_is_computed_from_a_changing_bundle_is_refused(tmp_path: Path, kind: str, fails: bool) -> None:
    first, second = results()
    bundle = first.save(tmp_path / "bundle")

    def meanwhile() -> None:
        with unchanged(bundle):
            if kind == "overwritten":
                second.save(bundle, overwrite=True)
            else:
                (bundle / "gold.csv").write_text("other")
            if fails:
                raise assay.InputError.of("gold.csv", "is odd", "")

    with pytest.raises(assay.InputError, match="changed while it was being read"):
        meanwhile()
    with unchanged(bundle):
        pass


READERS: dict[str, tuple[str, Callable[[Path, Path], object]]] = {
    "verify": ("assay.verification.recompute.verify.check_hashes", lambda b, _: verify(b, draws=1)),
    "compare": (
        "assay.evaluation.bundle.bundle_systems.read_result",
        lambda b, other: assay.compare(other, b),
    ),
    "audit": ("assay.verification.audit.gather_facts.read_result", lambda b, _: assay.audit(b)),
    "gate": ("assay.verification.publication_gate.check_hashes", lambda b, _: publication_gate(b)),
    "load": ("assay.evaluation.bundle.load.check_hashes", lambda b, _: assay.load(b)),
}
"""What reads several files of a bundle, and what it calls first."""


@pytest.mark.parametrize("name", READERS)
def test_readers_of_several_files_are_guarded(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = results()
    bundle, other = first.save(tmp_path / "bundle"), first.save(tmp_path / "other")
    place, ask = READERS[name]
    ask(bundle, other)
    module, _, function = place.rpartition(".")
    honest: Callable[..., object] = getattr(sys.modules[module], function)

    def overwritten(folder: Path, *given: object) -> object:
        made = honest(folder, *given)
        if folder == bundle:
            second.save(bundle, overwrite=True)
        return made

    monkeypatch.setattr(place, overwritten)
    with pytest.raises(assay.InputError, match="changed while it was being read"):
        ask(bundle, other)
