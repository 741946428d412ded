"""The layout that a newcomer relies on: small folders, and file names that are not used twice."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
MOST_MODULES = 15
COMMANDS = "assay/cli/commands"


def modules() -> list[Path]:
    """Every module of both packages, relative to the source folder."""
    return sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))


def mirror(module: Path) -> str:
    """Return what a module may share its name with: the measure or the function of that name."""
    path = module.as_posix()
    return path.removeprefix("assay_oracle/").removeprefix("assay/").removeprefix("metrics/")


def test_no_folder_has_more_modules_than_people_can_scan() -> None:
    counts: dict[str, int] = defaultdict(int)
    for tree in ("src", "tests", "benchmarks", "docs"):
        for module in (ROOT / tree).rglob("*.py"):
            counts[module.relative_to(ROOT).parent.as_posix()] += module.name != "__init__.py"
    assert counts["src/assay"] > 0
    assert {folder: n for folder, n in counts.items() if n > MOST_MODULES} == {}


def test_every_folder_says_what_lives_there() -> None:
    folders = {module.parent for module in modules()}
    missing = [folder for folder in folders if not (SOURCE / folder / "__init__.py").is_file()]
    assert missing == []
    silent = [
        folder
        for folder in folders
        if not (SOURCE / folder / "__init__.py").read_text(encoding="utf-8").startswith('"""')
    ]
    assert silent == []


def test_no_two_modules_of_different_packages_share_a_name() -> None:
    """Except a measure with its second implementation, and a command with its library function."""
    by_name: dict[str, set[str]] = defaultdict(set)
    for module in modules():
        if module.stem not in ("__init__", "__main__") and module.parent.as_posix() != COMMANDS:
            by_name[module.stem].add(mirror(module))
    assert {name: places for name, places in by_name.items() if len(places) > 1} == {}


DESIGN = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")


def test_the_design_page_lists_every_folder() -> None:
    """The groups of measures have their own table."""
    tree = DESIGN.split("```")[1].partition("src/assay_oracle/")[0]
    listed, parent = set(), ""
    for spaces, name in re.findall(r"^( {2}| {4})([a-z_]+)/", tree, re.MULTILINE):
        parent = parent if len(spaces) == 4 else name
        listed.add(name if len(spaces) == 2 else f"{parent}/{name}")
    packages = {init.parent.relative_to(SOURCE / "assay") for init in (SOURCE / "assay").rglob("__init__.py")}
    folders = {each.as_posix() for each in packages if 1 <= len(each.parts) <= 2}
    assert {each for each in folders if not each.startswith("metrics/")} - listed == set()
    assert [each for each in listed if not (SOURCE / "assay" / each).is_dir()] == []


def test_every_file_that_the_design_page_names_exists() -> None:
    missing = []
    for row in DESIGN.splitlines():
        folder = ""
        for name in re.findall(r"`([a-z_/]+\.(?:py|toml))`", row):
            folder = name.rpartition("/")[0] if "/" in name else folder
            places = [name, f"src/assay/{name}", f"src/assay/{folder}/{name}", f"src/assay/metrics/{name}"]
            if not any((ROOT / place).is_file() for place in places):
                missing.append(name)
    assert missing == []
