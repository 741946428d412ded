"""The name of the distribution has one home, and every extra that a message names exists."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from assay.version import DISTRIBUTION, VERSION, pip_install

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import distribution  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRA = re.compile(
    r"pip_install\(['\"](\w+)['\"]\)|MissingExtraError\.of\([^)]*['\"](\w+)['\"]\)|\bextra\([^)]*,\s*\"(\w+)\"\)"
)


def test_the_project_has_the_name() -> None:
    assert PROJECT["name"] == DISTRIBUTION
    assert pip_install("spark") == f"pip install '{DISTRIBUTION}[spark]'"


def test_the_version_has_one_home() -> None:
    assert "version" in PROJECT["dynamic"]
    assert f"version: {VERSION}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## [{VERSION}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_extra_in_a_message_exists() -> None:
    modules = (ROOT / "src" / "assay").rglob("*.py")
    named = {
        name
        for path in modules
        for found in EXTRA.findall(path.read_text(encoding="utf-8"))
        for name in found
        if name
    }
    assert {"figures", "pipeline", "spark"} <= named
    assert named - set(PROJECT["optional-dependencies"]) == set()


def test_extras_of_extras_are_our_own() -> None:
    for needed in PROJECT["optional-dependencies"].values():
        for each in needed:
            if each.partition("[")[0].endswith("assay"):
                assert each.startswith(f"{DISTRIBUTION}[")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("pip install 'assay[spark]'", f"pip install '{DISTRIBUTION}[spark]'"),
        ("with assay[audit,figures]", f"with {DISTRIBUTION}[audit,figures]"),
        ("- run: pip install assay\n", f"- run: pip install {DISTRIBUTION}\n"),
        ('name = "old-name" # copied from', f'name = "{DISTRIBUTION}" # copied from'),
        ("assay[name] and pip install assay.whl", "assay[name] and pip install assay.whl"),
        ("import assay; result[spark]", "import assay; result[spark]"),
    ],
)
def test_only_what_pip_installs_is_renamed(text: str, wanted: str) -> None:
    assert distribution.renamed(text) == wanted
    assert distribution.renamed(wanted) == wanted


def test_every_page_has_the_name() -> None:
    for path in distribution.pages():
        text = path.read_text(encoding="utf-8")
        assert distribution.renamed(text) == text, path
    assert distribution.spelled() == []
