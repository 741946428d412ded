"""The built package works in an empty environment, with the lowest and with the newest dependencies."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.version import DISTRIBUTION, VERSION, pip_install
from tests.packaging.installation import CORE_MB, TRIED, build, install, lowest, run_pipeline, use

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source distribution."""
    return build(tmp_path_factory.mktemp("built"))


def pins(which: str) -> list[str]:
    return lowest() if which == "lowest" else []


@pytest.mark.parametrize("which", ["lowest", "newest"])
def test_the_core_is_small_and_does_what_the_readme_says_and_the_pipeline_runs(
    which: str, wheel: Path, tmp_path: Path
) -> None:
    made = install(wheel, tmp_path / "env", pins=pins(which))
    assert made.megabytes() <= CORE_MB
    assert made.version(DISTRIBUTION) == VERSION
    printed = " ".join(use(made).split())
    assert re.search(r"bundle: verified. \d{3} numbers recomputed", printed)
    assert "Publication gate passed" in printed
    assert f"Figures: matplotlib is not installed; install the extra: {pip_install('figures')}" in printed
    assert (made.folder / "bundle" / "report.html").is_file()
    made = install(wheel, made.folder, TRIED, pins(which))  # into the same environment: the core is there
    assert "numbers recomputed" in " ".join(run_pipeline(made).split())
    assert list((made.folder / "demo" / "run" / "bundle" / "figures").glob("*.svg"))


def test_the_lowest_versions_are_those_of_the_project() -> None:
    assert "numpy==2.0" in lowest()
    assert {each.partition("==")[0] for each in lowest()} >= {
        "polars",
        "matplotlib",
        "scikit-learn",
        "optuna",
    }
