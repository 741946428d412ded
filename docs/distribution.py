"""Write the distribution's name, which src/assay/version.py has, into each file with an install command.

`--check` writes nothing and fails if a file names another distribution, or if code spells the
command itself instead of calling `pip_install`.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from assay.version import DISTRIBUTION

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = "|".join(PROJECT["optional-dependencies"])
NAMES = "|".join(sorted({"assay", "evidence-assay", PROJECT["name"]}, key=len, reverse=True))
WITH_EXTRA = re.compile(rf"(?<![\w.-])(?:{NAMES})(?=\[(?:{EXTRAS})(?:,\s*(?:{EXTRAS}))*\])")
ALONE = re.compile(rf"(?<=pip install )(?:{NAMES})(?![\w.\[/-])")
OWN_NAME = re.compile(r'(?<=^name = ")[^"]+(?=" # copied)', re.MULTILINE)
SPELLED = re.compile(rf"pip install '?(?:{NAMES})\b")
FOLDERS = ("docs", "examples", "decisions", ".github")
ENDINGS = {".md", ".toml", ".yml", ".yaml", ".cff", ".sh", ".py", ".ipynb"}


def pages() -> Iterator[Path]:
    """Yield every file that may tell somebody what to install."""
    yield from (path for path in sorted(ROOT.iterdir()) if path.is_file() and path.suffix in ENDINGS)
    for folder in FOLDERS:
        found = sorted((ROOT / folder).rglob("*"))
        yield from (path for path in found if path.suffix in ENDINGS and path != Path(__file__))


def renamed(text: str) -> str:
    """Return a text with the name of the distribution in every command."""
    for pattern in (OWN_NAME, WITH_EXTRA, ALONE):
        text = pattern.sub(DISTRIBUTION, text)
    return text


def spelled() -> list[str]:
    """Return the modules that spell the command themselves."""
    modules = sorted((ROOT / "src").rglob("*.py"))
    return [
        f"{path.relative_to(ROOT)}: call assay.version.pip_install"
        for path in modules
        if SPELLED.search(path.read_text(encoding="utf-8"))
    ]


def main() -> int:
    """Rename in all files, or list those that differ with --check."""
    faults = spelled()
    for path in pages():
        text = path.read_text(encoding="utf-8")
        if renamed(text) == text:
            continue
        if "--check" in sys.argv:
            faults.append(f"{path.relative_to(ROOT)}: names another distribution; run `make generated`")
        else:
            path.write_text(renamed(text), encoding="utf-8")
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
