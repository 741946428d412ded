"""`assay run` as a user calls it."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

import assay
from assay.cli import demo_pipeline
from assay.errors import InputError
from assay.pipeline.run_config import read_plan
from assay.report.figures import figure_files
from assay.version import pip_install
from tests.pipeline.conftest import FAST, Call, toy, write

pytestmark = pytest.mark.full

LINES = "\n".join(
    f"[{stage}]\n" + "\n".join(f"{name} = {value}" for name, value in table.items())
    for stage, table in FAST.items()
)
PROTOCOL = "[protocol]\nfolds = 3\ncrossfit = 2\nresamples = 50\n"
SRC = str(Path(assay.__file__).parents[1])


def configured(folder: Path, text: str = "", corpus: str = "corpus") -> Path:
    write(toy(45), folder / "corpus")
    path = folder / "toy.toml"
    path.write_text(f'corpus = "{corpus}"\n{text}\n{PROTOCOL}\n{LINES}\n')
    return path


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "assay.cli", *map(str, arguments)]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": SRC, **more}


def called(*arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=600, env=environment(**more), check=False
    )


def contents(folder: Path) -> dict[str, bytes]:
    """Everything that a run leaves, but for its cache."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "cache" not in path.relative_to(folder).parts
    }


def test_a_run_from_configuration_to_bundle(tmp_path: Path) -> None:
    done = called("run", configured(tmp_path), "-o", tmp_path / "out", "--no-report")
    assert done.returncode == 0, done.stderr
    assert "left" in done.stderr
    assert "TRAIN and TUNE, pooled by cross-fitting" in done.stdout
    assert "not certifiable" in done.stdout
    for name in ("random", "original", "bm25", "positive rate", "highest score", "toy", "oracle"):
        assert name in done.stdout
    out = tmp_path / "out"
    again = assay.evaluate(out / "predictions", tmp_path / "corpus", tune_reused=True)
    saved = assay.load(out / "bundle")
    assert saved["ndcg@10"].value == pytest.approx(again["ndcg@10"].value, abs=1e-12)
    assert not any(threshold.certified for threshold in saved.thresholds)
    with (out / "baselines.csv").open() as file:
        baselines = {row["system"]: row for row in csv.DictReader(file)}
    assert float(baselines["oracle"]["ndcg@10"]) == 1.0
    assert float(baselines["oracle"]["auroc"]) == 1.0
    assert float(baselines["positive rate"]["auroc"]) == 0.5
    assert float(baselines["random"]["ndcg@10"]) < float(baselines["toy"]["ndcg@10"])
    assert float(baselines["toy"]["ndcg@10"]) == saved["ndcg@10"].value
    record = json.loads((out / "run.json").read_text())
    assert record["plan"]["protocol"]["seed"] == 0
    assert set(record["versions"]) >= {"assay", "numpy", "scikit-learn"}
    assert set(record["output"]) >= {"baselines.csv", "thresholds.csv", "bundle/MANIFEST.json"}
    assert ("models" in record) == ("embedding" in record["plan"]["stages"])
    for told in record.get("models", {}).values():
        assert "weights/l2_supercat_256.safetensors" in told["files"]
    for name, digest in record["corpus"].items():
        data = (tmp_path / "corpus" / name).read_bytes()
        assert digest == hashlib.sha256(data).hexdigest()
    first = contents(out)
    # From Python, one process at a time, the same configuration gives the same bytes.
    single = assay.run(assay.read_plan(tmp_path / "toy.toml"), tmp_path / "two", processes=1)
    assert single.result["ndcg@10"].value == saved["ndcg@10"].value
    assert contents(tmp_path / "two") == first
    other = called("run", tmp_path / "toy.toml", "-o", out, "--seed", 1)
    assert other.returncode == 2
    assert "another configuration; choose a new folder, or --overwrite" in other.stderr
    assert contents(out) == first


def test_a_profile_excludes_and_the_file_wins(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('corpus = "c"\nprofile = "dsm5"\n[protocol]\nseed = 4\n')
    plan = read_plan(tmp_path / "a.toml")
    assert (plan.protocol.exclude, plan.protocol.seed) == (("A.10", "SPECIAL_CASE"), 4)
    (tmp_path / "b.toml").write_text('corpus = "c"\nprofile = "dsm5"\n[protocol]\nexclude = []\n')
    assert read_plan(tmp_path / "b.toml").protocol.exclude == ()
    (tmp_path / "c.toml").write_text('corpus = "c"\nprofile = "icd"\n')
    with pytest.raises(InputError, match="profile is 'icd'; expected one of dsm5"):
        read_plan(tmp_path / "c.toml")


def test_the_demo_from_corpus_to_gate(tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_pipeline, "PLAN", f"{demo_pipeline.PLAN}{PROTOCOL}{LINES}\n")  # a small one
    monkeypatch.setattr(figure_files, "FORMATS", ("svg",))  # others are drawn in the same way
    code, text, said = call("demo", "--pipeline", "-o", tmp_path / "demo", "--posts", 24, "--processes", 1)
    assert code == 0, said
    assert text.count("(synthetic)") >= 8
    assert "Verification: " in text
    assert str(tmp_path / "demo" / "run" / "bundle") in text
    judged = json.loads((tmp_path / "demo" / "run" / "bundle" / "gate.json").read_text())
    verdicts = {check["name"]: check["verdict"] for check in judged["checks"]}
    assert verdicts["recomputation"] == verdicts["leakage"] == "pass"
    record = json.loads((tmp_path / "demo" / "run" / "run.json").read_text())
    assert record["plan"]["protocol"]["exclude"] == ["A.10", "SPECIAL_CASE"]
    with (tmp_path / "demo" / "run" / "predictions" / "decisions.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["criterion_id"] for row in rows if row["in_training"] == "no"} == {"A.10"}
    assert {row["in_training"] for row in rows} == {"yes", "no"}
    queries = pl.read_csv(tmp_path / "demo" / "run" / "bundle" / "per_query.csv")
    assert set(queries.filter(pl.col("in_training") == "no")["criterion_id"]) == {"A.10"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('stages = ["scorer"]', ("'scorer' needs column 'match'",)),
        ('stages = ["lexical", "magic"]', ("unknown stage 'magic'", "expected some of lexical")),
        ("[lexical]\nb = 7\nk3 = 1", ("b is 7", "no setting 'k3'")),
        ('contract = "nothing/9"', ("nothing/9",)),
        ("stages = 3", ("stages is 3", "expected a list")),
        ("speed = 3", ("speed is 3", "expected a table")),
        (
            'stages = ["lexical", "magic"]\n[protocol]\nfolds = 1\n[tune]\ntrials = 0',
            ("unknown stage 'magic'", "folds is 1", "trials is 0"),
        ),
    ],
)
def test_bad_configurations(tmp_path: Path, text: str, words: Sequence[str], call: Call) -> None:
    path = configured(tmp_path, text)
    if "stages" in text:
        path.write_text(f'corpus = "corpus"\n{text}\n')
    code, _, said = call("run", path, "-o", tmp_path / "out")
    assert code == 2
    assert "Traceback" not in said
    assert all(word in said for word in words), said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("number", ["0", "-3", "two", "1.5"])
@pytest.mark.parametrize("command_of", ["run", "ablate", "demo"])
def test_no_number_of_processes(tmp_path: Path, call: Call, command_of: str, number: str) -> None:
    asked = ["--pipeline"] if command_of == "demo" else [configured(tmp_path)]
    code, _, said = call(command_of, *asked, "-o", tmp_path / "out", f"--processes={number}")
    assert code == 2
    assert said == f"assay: --processes: is '{number}'; expected a whole number from 1\n"
    assert not (tmp_path / "out").exists()


def test_no_number_of_processes_from_python(tmp_path: Path) -> None:
    plan = read_plan(configured(tmp_path))
    with pytest.raises(InputError, match="processes: is 0; expected a whole number from 1"):
        assay.run(plan, tmp_path / "out", processes=0)
    assert not (tmp_path / "out").exists()


def test_what_is_no_run_is_not_touched(tmp_path: Path, call: Call) -> None:
    path = configured(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("years of work")
    code, _, said = call("run", path, "-o", tmp_path / "out")
    assert code == 2
    assert "exists and is not a run" in said
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["thesis.txt"]


def test_unknown_criteria_to_exclude(tmp_path: Path, call: Call) -> None:
    path = configured(tmp_path)
    path.write_text(path.read_text().replace("folds = 3", 'folds = 3\nexclude = ["c9"]'))
    code, _, said = call("run", path, "-o", tmp_path / "out")
    assert code == 2
    assert "Traceback" not in said
    assert "exclude names criterion 'c9'; expected some of c1, c2" in said


def test_a_missing_extra_of_an_import_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "absent").mkdir()
    (tmp_path / "absent" / "sentencex.py").write_text("raise ImportError('not here')\n")
    lines = tmp_path / "one.jsonl"
    lines.write_text('{"post": "p", "criterion": "c", "text": "One. Two.", "evidence": [0]}\n')
    hidden = os.pathsep.join([str(tmp_path / "absent"), SRC])
    done = called("import", "jsonl", lines, "-o", tmp_path / "out", PYTHONPATH=hidden)
    assert done.returncode == 2, done.stderr
    assert f"sentencex is not installed; install the extra: {pip_install('pipeline')}" in done.stderr
