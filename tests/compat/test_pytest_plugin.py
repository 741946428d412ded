"""The fixture `assay_gate` in a separate pytest session."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import assay
from assay.compat import pytest_plugin

TESTS = """
import polars as pl
import assay

FRAME = pl.DataFrame({"label": [1, 0, 0, 1], "prob": [0.9, 0.4, 0.6, 0.7]})
RESULT = assay.evaluate(assay.read_decisions(FRAME), measures=["auroc", "brier", "f1"])


def test_good(assay_gate):
    assert assay_gate(RESULT, {"roc_auc": 0.9, "brier": 0.5, "f1": "> 0.1"}) is RESULT


def test_bad(assay_gate):
    assay_gate(RESULT, {"auroc": 0.9, "brier": 0.05, "f1": ">= 0.99"})


def test_bundle(assay_gate, tmp_path):
    folder = RESULT.save(tmp_path / "bundle")
    assay_gate(folder, {"auroc": 0.9}, publication=False)
    assay_gate(folder, {"auroc": 0.9})
"""


def test_a_session_with_the_fixture(tmp_path: Path) -> None:
    (tmp_path / "test_system.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    # the entry point is blocked, so that the module is loaded once whether assay is installed or not
    options = ["-p", "no:assay", "-p", "assay.compat.pytest_plugin", "-p", "no:cacheprovider", "-q", "-rA"]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "test_system.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    out = ended.stdout
    assert ended.returncode == 1, out + ended.stderr
    assert "PASSED test_system.py::test_good" in out
    assert "1 passed, 2 failed" in out or "2 failed, 1 passed" in out
    assert "labels and probabilities" not in out
    assert "brier is 0.1550, expected <= 0.05 (brier:on=all)" in out
    assert "f1 is 0.8000, expected >= 0.99 (f1:at=0.5,on=all)" in out
    assert "auroc is" not in out
    assert "publication gate: figures and tables: " in out
    assert "Traceback" not in out


def test_the_plugin_loads_nothing_until_it_is_used() -> None:
    code = "import sys, assay.compat.pytest_plugin; print(sorted({'numpy', 'polars', 'pandas'} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"


def result() -> assay.Result:
    frame = pl.DataFrame({"label": [1, 0, 0, 1], "prob": [0.9, 0.4, 0.6, 0.7]})
    return assay.evaluate(assay.read_decisions(frame))


def bundle(folder: Path, shift: float) -> Path:
    """Save a bundle of 60 queries; a larger shift separates the classes better."""
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 2
    probs = np.clip(0.5 + shift * (labels - 0.5) + rng.normal(0, 0.2, 60), 0, 1)
    frame = pl.DataFrame({"label": labels, "prob": probs})
    return assay.evaluate(assay.read_decisions(frame), measures=["auroc", "brier"]).save(folder)


def test_a_bundle_against_an_older_one(tmp_path: Path) -> None:
    good, bad = bundle(tmp_path / "good", 0.6), bundle(tmp_path / "bad", 0.1)
    pytest_plugin.check(good, against=bad, publication=False)
    pytest_plugin.check(bad, against=good, publication=False, allow={"auroc": -0.9, "brier": 0.9})
    with pytest.raises(pytest.fail.Exception, match=r"against good: auroc is worse: "):
        pytest_plugin.check(bad, against=good, publication=False, undecided="pass")
    with pytest.raises(ValueError, match="save the result"):
        pytest_plugin.check(result(), against=good)


def test_what_cannot_be_checked_is_an_error() -> None:
    with pytest.raises(assay.MeasureError, match="ndcg@10 is absent"):
        pytest_plugin.check(result(), {"ndcg@10": 0.4})
    with pytest.raises(ValueError, match="neither better higher nor lower"):
        pytest_plugin.check(result(), {"tp": 3})
    with pytest.raises(ValueError, match="not a threshold"):
        pytest_plugin.check(result(), {"auroc": "good"})
    with pytest.raises(ValueError, match="save the result"):
        pytest_plugin.check(result(), publication=True)
    one_class = pl.DataFrame({"label": [1, 1], "prob": [0.9, 0.4]})
    with pytest.raises(pytest.fail.Exception, match=r"auroc has no value \("):
        pytest_plugin.check(assay.evaluate(assay.read_decisions(one_class)), {"auroc": 0.1})
