"""Run the examples of README.md and docs/ and insert their real output after each command.

In a ```console block, lines that begin with `$ ` (and `> ` for continuation lines) are run by
bash; in a ```pycon block, lines that begin with `>>> ` or `... ` are run by Python. All blocks of
a file share one scratch folder that links to the repository's files. `--check` writes nothing and
fails if an output on disk differs from the real one, except for differences of `verify` that are
only rounding. A command or statement that ends in a traceback is never written as an example. The time
of each page is printed, not judged.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"```(console|pycon)\n(.*?)\n?```", re.DOTALL)
ROUNDING = re.compile(r" +(0|\d\.\de-1[3-9])(?=( \|)?\.?$)", re.MULTILINE)
"""A difference that `verify` prints and that may depend on the machine's arithmetic."""
SESSION = """
import code, contextlib, io, sys
lines = sys.stdin.read().split("\\n")
console, shown = code.InteractiveConsole(), []
for at, line in enumerate(lines):
    shown.append(line)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        more = console.push(line[4:])
        if more and (at + 1 == len(lines) or not lines[at + 1].startswith("...")):
            console.push("")
    if printed.getvalue().strip():
        shown.append(printed.getvalue().rstrip("\\n"))
print("\\n".join(shown))
"""


def filled(text: str) -> str:
    """Return the text with the output of every block regenerated."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for entry in ("src", "docs", "examples", "README.md"):
            (folder / entry).symlink_to(ROOT / entry)

        def one(match: re.Match[str]) -> str:
            kind, body = match.groups()
            output = console(body, folder) if kind == "console" else session(body, folder)
            return f"```{kind}\n{output}\n```"

        return BLOCK.sub(one, text)


def console(body: str, folder: Path) -> str:
    """Return shell commands, each followed by its output."""
    commands: list[list[str]] = []
    further = False  # a line `> ` in the output, as diff prints, continues no command
    for line in body.split("\n"):
        if line.startswith("$ "):
            commands.append([line])
        elif line.startswith("> ") and further:
            commands[-1].append(line)
        further = line.startswith("$ ") or (further and line.startswith("> "))
    shown = []
    for lines in commands:
        command = "\n".join(line[2:] for line in lines)
        printed = run(["bash", "-c", command], folder).rstrip("\n")
        shown += [*lines, *([printed] if printed.strip() else [])]
    return "\n".join(shown)


def session(body: str, folder: Path) -> str:
    """Return Python statements, each followed by its output."""
    lines = [line for line in body.split("\n") if line.startswith((">>> ", "... "))]
    return run([sys.executable, "-c", SESSION], folder, "\n".join(lines)).rstrip("\n")


def run(command: list[str], folder: Path, text: str | None = None) -> str:
    """Return what a command prints on stdout and stderr."""
    tools = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
        "TERM": "dumb",
    }
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        input=text,
        text=True,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    crashed = any(each in done.stdout for each in ("Traceback (most recent", "a fault of assay,"))
    if crashed:
        raise SystemExit(f"an example of the documentation crashes: {text or command[-1]}")
    return done.stdout


def regenerated(path: Path) -> tuple[str, str]:
    """Return a page as it is and as it should be, and print how long that took."""
    before, begin = path.read_text(encoding="utf-8"), time.monotonic()
    after = filled(before)
    print(f"{path.relative_to(ROOT)}: {time.monotonic() - begin:.1f} s")
    return before, after


def main() -> int:
    """Regenerate the outputs, or compare them with --check."""
    drifted = []
    pages = {ROOT / "README.md", *(ROOT / "docs").rglob("*.md")} - {
        ROOT / "docs" / "api.md"
    }  # tests run that
    longest_first = sorted(pages, key=lambda path: -path.stat().st_size)
    with ThreadPoolExecutor(2) as pool:  # the commands are processes
        done = list(pool.map(regenerated, longest_first))
    for path, (before, after) in sorted(zip(longest_first, done, strict=True)):
        if ROUNDING.sub("", after) == ROUNDING.sub("", before):
            continue
        drifted.append(path.relative_to(ROOT))
        if "--check" not in sys.argv:
            path.write_text(after, encoding="utf-8")
    verb = "has outdated output; run `make generated`" if "--check" in sys.argv else "was regenerated"
    for path in drifted:
        print(f"{path} {verb}", file=sys.stderr)
    return 1 if drifted and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
