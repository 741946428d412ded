"""A path names one file, whatever marks its name has."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import assay
from tests.cli.conftest import Plain, Ran, World
from tests.command import exit_code

NAMES = ("r[12]", "r*", "r?", "{r1,r2}", "r[!x]")
"""Each is a pattern that `r1` matches."""


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    def run(*arguments: str | Path) -> Ran:
        capsys.readouterr()
        return Ran(exit_code(monkeypatch, *arguments), *capsys.readouterr())

    return run


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run_frame(scores: tuple[float, float]) -> pl.DataFrame:
    return pl.DataFrame({"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], "score": scores})


@pytest.mark.parametrize("name", NAMES)
def test_a_pattern_is_the_name_of_one_run(name: str, tmp_path: Path, call: Callable[..., Ran]) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    run_frame((1.0, 2.0)).write_parquet(tmp_path / "r1.parquet")
    base = ("evaluate", "--qrels", tmp_path / "qrels.txt", "--contract", "trec_eval/10")
    options = ("-m", "recip_rank", "--json")
    target = tmp_path / f"{name}.parquet"
    assert call(*base, "--run", target, *options).code == 2  # there is no such file
    run_frame((2.0, 1.0)).write_parquet(target)
    ran = call(*base, "--run", target, *options, "-o", tmp_path / "bundle", "--no-report").ok()
    assert json.loads(ran.out)["measures"][0]["value"] == 1.0  # 0.5 is that of r1
    document = json.loads((tmp_path / "bundle" / "metrics_master.json").read_text())
    assert document["inputs"][1]["sha256"] == sha256(target)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_a_folder_with_brackets(ending: str, tmp_path: Path, call: Callable[..., Ran]) -> None:
    """Its neighbour, which the pattern would match, has other scores and other gold."""
    world = World(tmp_path, call)
    predictions, corpus = world.write(ending)
    wanted = call("evaluate", predictions, "--corpus", corpus, "--json").ok().out
    for folder in (predictions, corpus):
        shutil.copytree(folder, folder.with_name(f"{folder.name}[1]"))
        shutil.copytree(folder, folder.with_name(f"{folder.name}1"))
    world.predictions["candidates"] = [
        {**row, "score": -float(str(row["score"]))} for row in world.predictions["candidates"]
    ]
    world.corpus["gold"] = world.corpus["gold"][:3]
    for fresh, folder in zip(world.write(ending), (predictions, corpus), strict=True):
        shutil.rmtree(folder.with_name(f"{folder.name}1"))
        fresh.rename(folder.with_name(f"{folder.name}1"))
    paths = (f"{predictions}[1]", "--corpus", f"{corpus}[1]")
    bundle = tmp_path / "b[1]"
    got = call("evaluate", *paths, "--json", "-o", bundle, "--no-report").ok().out
    first = {each["name"]: each["value"] for each in json.loads(wanted)["measures"]}
    second = {each["name"]: each["value"] for each in json.loads(got)["measures"]}
    assert first == second
    hashes = {each["sha256"] for each in json.loads(_master(bundle))["inputs"]}
    read = [*Path(f"{predictions}[1]").iterdir(), *Path(f"{corpus}[1]").iterdir()]
    assert hashes == {sha256(path) for path in read}
    other = (f"{predictions}1", "--corpus", f"{corpus}1")
    call("evaluate", *other, "-o", tmp_path / "b1", "--no-report").ok()
    assert not assay.load(bundle).per_query().equals(assay.load(tmp_path / "b1").per_query())
    assert call("verify", bundle, "--predictions", *paths).ok().out.count("verified")


def _master(bundle: Path) -> str:
    return (bundle / "metrics_master.json").read_text()


def test_other_tables_with_brackets(tmp_path: Path, call: Callable[..., Ran]) -> None:
    """Judgements, decisions and TUNE, as Parquet."""
    Plain(tmp_path, call).write()
    good = pl.DataFrame({"label": [0, 1, 1], "prob": [0.1, 0.9, 0.8]})
    bad = good.with_columns(prob=1 - pl.col("prob"))
    good.write_parquet(tmp_path / "d[1].parquet")
    bad.write_parquet(tmp_path / "d1.parquet")
    ran = call("evaluate", "--decisions", tmp_path / "d[1].parquet", "-m", "auroc", "--json").ok()
    assert json.loads(ran.out)["measures"][0]["value"] == 1.0
    qrels = pl.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "grade": [1]})
    qrels.write_parquet(tmp_path / "q[1].parquet")
    qrels.with_columns(doc_id=pl.lit("d3")).write_parquet(tmp_path / "q1.parquet")
    made = assay.read_trec(tmp_path / "q[1].parquet", {"q1": {"d1": 2.0, "d3": 1.0}})
    assert assay.evaluate(made, contract="trec_eval/10")["recip_rank"].value == 1.0
