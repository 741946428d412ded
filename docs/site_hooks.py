"""What the site has in addition to the pages of docs/: KaTeX, search from disk, and files of the repository.

A link that leaves docs/, such as `../decisions/`, leads to a copy below `repository/` on the site.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
KATEX = ROOT / ".venv" / "katex" / "package" / "dist"
WORKER = ROOT / ".venv" / "katex" / "iframe-worker" / "shim" / "index.js"
SHOWN = "repository"
LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)([^)\s#]*)(#[^)\s]*)?(?=\))")
SHORT = re.compile(r"<code>([^<\s]{1,28})</code>")
CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)


def on_files(files: Files, config: Any) -> Files:
    """Add KaTeX, and every file outside of docs/ that a page links to, directly or not."""
    if not KATEX.is_dir() or not WORKER.is_file():
        raise PluginError("KaTeX or iframe-worker is not there; run `make katex`")
    files.append(File.generated(config, "iframe-worker/shim.js", abs_src_path=str(WORKER)))
    for path in sorted(KATEX.rglob("*")):
        if path.name in ("katex.min.js", "katex.min.css") or path.suffix == ".woff2":
            name = f"katex/{path.relative_to(KATEX).as_posix()}"
            files.append(File.generated(config, name, abs_src_path=str(path)))
    waiting = [("docs/" + file.src_uri, Path(str(file.abs_src_path))) for file in files.documentation_pages()]
    seen: set[str] = set()
    while waiting:
        home, path = waiting.pop()
        for target in targets(home, path.read_text(encoding="utf-8")):
            if target in seen or target.startswith("docs/") or not (ROOT / target).exists():
                continue
            seen.add(target)
            found = ROOT / target
            if found.is_dir():
                names = sorted(
                    each.name for each in found.iterdir() if each.suffix in (".md", ".py", ".toml")
                )
                rows = [f"- [{title(found / name)}]({name})" for name in names]
                listed = f"# {target}\n\n" + "\n".join(rows) + "\n"
                files.append(File.generated(config, f"{SHOWN}/{target}/index.md", content=listed))
                more = [f"{target}/{name}" for name in names if f"{target}/{name}" not in seen]
                for each in more:
                    seen.add(each)
                    files.append(File.generated(config, f"{SHOWN}/{each}", abs_src_path=str(ROOT / each)))
                    if each.endswith(".md"):
                        waiting.append((each, ROOT / each))
                continue
            files.append(File.generated(config, f"{SHOWN}/{target}", abs_src_path=str(found)))
            if found.suffix == ".md":
                waiting.append((target, found))
    return files


def title(path: Path) -> str:
    """Return the heading of a page, or the name of another file."""
    head = path.read_text(encoding="utf-8").partition("\n")[0] if path.suffix == ".md" else ""
    return head.removeprefix("# ") if head.startswith("# ") else path.name


def on_page_content(html: str, **_: Any) -> str:
    """Keep formulas out of the search, which would show their TeX, and break no option or short name."""
    html = html.replace('<div class="arithmatex">', '<div class="arithmatex" data-search-exclude>')
    return SHORT.sub(r'<code class="short">\1</code>', html)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn links that leave docs/ into links to the copies on the site."""
    home = at(page.file.src_uri)

    def moved(found: re.Match[str]) -> str:
        if not found[1]:
            return found[0]
        target = resolved(home, found[1])
        place = target.removeprefix("docs/") if target.startswith("docs/") else f"{SHOWN}/{target}"
        if (ROOT / target).is_dir():
            place += "/index.md"
        return posixpath.relpath(place, posixpath.dirname(page.file.src_uri) or ".") + (found[2] or "")

    parts = CODE.split(markdown)
    return "".join(part if at_ % 2 else LINK.sub(moved, part) for at_, part in enumerate(parts))


def at(uri: str) -> str:
    """Return where a page of the site is in the repository."""
    return uri.removeprefix(f"{SHOWN}/") if uri.startswith(f"{SHOWN}/") else f"docs/{uri}"


def resolved(home: str, link: str) -> str:
    """Return the target of a relative link, from the root of the repository."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(home), link))


def targets(home: str, markdown: str) -> list[str]:
    """Return what a page links to; code is not read."""
    texts = CODE.split(markdown)[::2]
    return [resolved(home, found[1]) for text in texts for found in LINK.finditer(text) if found[1]]
