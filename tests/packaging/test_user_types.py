"""A user's script passes `mypy --strict` against the installed wheel."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = """
from pathlib import Path

import assay

qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
run = {"q1": {"d1": 0.7, "d2": 0.4}, "q2": {"d3": 0.1, "d4": 0.9}}
result: assay.Result = assay.evaluate(run, qrels=qrels, measures=["nDCG@10", "AP"], bootstrap=100, k=5)
value: assay.Value = result["ndcg@10"]
number: float = value.value
print(f"{value:.3f}", len(result), "map" in result, float(value))
for name, each in result.items():
    print(name.upper(), each.n + 1)
frame = result.per_query()
folder: Path = result.save("bundle")
loaded = assay.load(folder)
print(loaded == result, loaded.system.upper())

labels, probs = [0, 1, 1, 0], [0.1, 0.8, 0.6, 0.3]
table = assay.evaluate(labels=labels, probs=probs, groups=["a", "a", "b", "b"], measures="auroc")
comparison: assay.Comparison = assay.compare(run, run, qrels=qrels, measures=["ndcg@10"])
print(comparison["ndcg@10"].difference + 1.0)
by_name: assay.Comparison = assay.compare({"a": run, "b": run}, qrels=qrels, measures="ndcg@10", resamples=100)
rows = [("q1", "d1", 0.5), ("q2", "d3", 0.1)]
triples: assay.Result = assay.evaluate(rows, qrels=[("q1", "d1", 1), ("q2", "d3", 1)], measures="P@5,10")
words: assay.LabelTable = assay.read_decisions({"y": ["died", "alive"], "p": [90, 20]}, prob="p%", label="y=died")
if not assay.verify(folder).ok:
    raise SystemExit(1)
verdict: bool = assay.publication_gate(folder).ok
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the wheel, and the packages of this one."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--quiet", str(ROOT)]
    subprocess.run([*build, "--wheel-dir", str(folder)], check=True, timeout=300, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "env", symlinks=True)
    made = folder / "env" / "bin" / "python"
    (site,) = (folder / "env").glob("lib/python*/site-packages")
    unpack = [sys.executable, "-m", "zipfile", "-e", str(wheel), str(site)]
    subprocess.run(unpack, check=True, timeout=300)
    (site / "others.pth").write_text("\n".join(each for each in sys.path if each.endswith("site-packages")))
    return made


@pytest.mark.full
def test_a_script_passes_strict_mypy(python: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(python), script.name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.full
def test_the_script_also_runs(python: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [str(python), script.name], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (
        "site-packages"
        in subprocess.run(
            [str(python), "-c", "import assay; print(assay.__file__)"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout
    )
