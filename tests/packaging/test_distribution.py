"""The name of the distribution has one home, and every extra that a message names exists."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

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


def metadata(monkeypatch: pytest.MonkeyPatch, url: str) -> dict[str, Any]:
    """Return what the build adds to the metadata."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    monkeypatch.setenv("PROJECT_URL", url)
    made: dict[str, Any] = {}
    build.ProjectUrls(str(ROOT), {}).update(made)
    return made


def test_a_package_index_shows_the_picture_and_finds_the_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    made = metadata(monkeypatch, "https://example.org/o/n/")
    text = made["readme"]["text"]
    assert "](https://example.org/o/n/raw/HEAD/docs/report.png)" in text
    assert "](https://example.org/o/n/blob/HEAD/docs/other-tools.md#speed)" in text
    assert re.findall(r"\]\((?!https://example\.org/)[^)]*\)", text) == []
    assert made["urls"]["Issues"] == "https://example.org/o/n/issues"


def test_without_an_address_the_description_is_the_readme(monkeypatch: pytest.MonkeyPatch) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    wanted = {"readme": {"content-type": "text/markdown", "text": readme}}
    assert metadata(monkeypatch, "") == wanted


def test_the_source_distribution_has_what_its_tests_read() -> None:
    """Whoever unpacks it can run `make test`, `make check` and `make docs`."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    packed = set(settings["build"]["targets"]["sdist"]["only-include"])
    assert [name for name in packed if not (ROOT / name).exists()] == []
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
        tracked = {name.partition("/")[0] for name in listed.stdout.splitlines()}
        assert tracked - packed == {".gitignore", "pyproject.toml"}  # these are always packed


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
