"""The GitLab recipe of docs/how-to.md: its script runs, with stand-ins for `curl`, `pip` and the system."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from tests.ci.bundles import ROOT, save_bundles

CURL = """#!/usr/bin/env bash
printf '%s\\n' "$@" > "$WORLD/curl.log"
if [ -f "$WORLD/artifacts.zip" ]; then cp "$WORLD/artifacts.zip" baseline.zip; fi
printf "%s" "$STATUS"
"""
EVALUATED = ("pip install", "python my_system.py", "assay evaluate")


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_bundles(tmp_path_factory.mktemp("bundles"))


def job(world: Path, bundle: Path, status: str) -> subprocess.CompletedProcess[str]:
    """Run the job's script after its evaluation, which left a bundle."""
    text = (ROOT / "docs" / "how-to.md").read_text(encoding="utf-8")
    recipe = re.search(r"```yaml\n(# \.gitlab-ci\.yml\n.*?)```", text, re.DOTALL)
    assert recipe is not None
    gate = yaml.safe_load(recipe[1])["gate"]
    script = [line for line in gate["script"] if not line.startswith(EVALUATED)]
    assert len(script) == len(gate["script"]) - len(EVALUATED)
    shutil.copytree(bundle, world / "bundle")
    (world / "curl").write_text(CURL, encoding="utf-8")
    (world / "curl").chmod(0o755)
    variables = {
        "PATH": f"{world}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "ALLOW": "ndcg@10=-0.01",
        "CI_API_V4_URL": "api",
        "CI_PROJECT_ID": "1",
        "CI_DEFAULT_BRANCH": "main",
        "CI_JOB_NAME": "gate",
        "CI_JOB_TOKEN": "token",
        "WORLD": str(world),
        "STATUS": status,
    }
    command = ["bash", "-eo", "pipefail", "-c", "\n".join(script)]
    return subprocess.run(command, cwd=world, env=variables, capture_output=True, text=True, check=False)


def test_against_the_artifact_of_the_main_branch(bundles: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "artifacts.zip", "w") as archive:
        for path in (bundles / "good").rglob("*"):
            archive.write(path, f"bundle/{path.relative_to(bundles / 'good')}")
    done = job(tmp_path, bundles / "bad", "200")
    assert done.returncode == 1, done.stderr
    assert "Verdict: worse" in done.stdout
    assert "api/projects/1/jobs/artifacts/main/download?job=gate" in (tmp_path / "curl.log").read_text()
    assert 'failures="1"' in (tmp_path / "gate.xml").read_text(encoding="utf-8")


def test_a_first_run_passes_and_a_failed_download_does_not(bundles: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    done = job(first, bundles / "good", "404")
    assert done.returncode == 0, done.stderr
    assert "first run" in " ".join(done.stdout.split())
    done = job(second, bundles / "good", "500")
    assert done.returncode == 1
    assert "HTTP 500" in done.stdout
