"""Check that every relative link and anchor in the Markdown of the repository leads somewhere."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("docs", "decisions", "examples", "benchmarks", "src", ".github")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """Return every Markdown file."""
    found = list(ROOT.glob("*.md"))
    for folder in FOLDERS:
        found += (ROOT / folder).rglob("*.md")
    return sorted(found)


@cache
def anchors(path: Path) -> set[str]:
    """Return the anchors of a page, as forges and the site make them from headings."""
    made: set[str] = set()
    for title in HEADING.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title.strip()).replace("`", "")
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        times = sum(
            each == name or re.fullmatch(rf"{re.escape(name)}-\d+", each) is not None for each in made
        )
        made.add(f"{name}-{times}" if times else name)
    return made


def broken(path: Path) -> list[str]:
    """Return the links of a page that lead nowhere."""
    faults = []
    for link in LINK.findall(CODE.sub("", path.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists():
            faults.append(f"{path.relative_to(ROOT)}: {link}: no such file")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            faults.append(f"{path.relative_to(ROOT)}: {link}: no such heading")
    return faults


def main() -> int:
    """Print broken links."""
    faults = [fault for path in pages() for fault in broken(path)]
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
