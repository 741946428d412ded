"""Learning curve of the reference pipeline on a real corpus: `make bench-curve [CORPUS=psytar]`.

Runs `assay ablate --learning-curve` with default settings, and writes the table and the sentences
into docs/pipeline.md, between two markers, and the figure of AUROC into docs/pictures. Finished
stages stay in .bench/curve, so an interrupted call resumes.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
PAGE = ROOT / "docs" / "pipeline.md"
FIGURE = "learning_curve_auroc.svg"
BEGIN, END = "<!-- learning curve: begin -->\n", "<!-- learning curve: end -->\n"


def main() -> None:
    """Run, and write into docs."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--corpus", default="psytar", help="a folder of ../shared/data, or any corpus folder")
    given.add_argument("--settings", type=Path, help="TOML file with settings, without `corpus`")
    given.add_argument("--sizes", help="as in `assay ablate`")
    given.add_argument("--page", type=Path, default=PAGE, help="page to write into")
    options = given.parse_args()
    corpus = DATA / options.corpus if (DATA / options.corpus).is_dir() else Path(options.corpus).resolve()
    work = ROOT / ".bench" / "curve" / corpus.name
    work.mkdir(parents=True, exist_ok=True)
    configuration = work / f"{corpus.name}.toml"
    settings = options.settings.read_text() if options.settings else ""
    configuration.write_text(f"corpus = {json.dumps(str(corpus))}\n{settings}")
    command = [sys.executable, "-m", "assay.cli", "ablate", str(configuration), "-o", str(work / "out")]
    sizes = ["--sizes", options.sizes] if options.sizes else []
    subprocess.run([*command, "--learning-curve", *sizes], check=True)
    figures = options.page.parent / "pictures"
    figures.mkdir(exist_ok=True)
    shutil.copyfile(work / "out" / "figures" / FIGURE, figures / FIGURE)
    options.page.write_text(
        written(options.page.read_text(), section(corpus.name, options.settings, work / "out"))
    )


def section(name: str, settings: Path | None, out: Path) -> str:
    """Return the lines between the markers: what was run, the table, the sentences, the figure."""
    text = (out / "learning_curve.md").read_text()
    _, _, body = text.partition("\n\n")  # the heading is the page's own
    used = "default settings" if settings is None else f"the settings of {settings.name}"
    head = f"On {name}, with {used} (`make bench-curve CORPUS={name}`), 95% intervals by post:\n\n"
    return f"{head}{body}\n![AUROC against the number of TRAIN posts](pictures/{FIGURE})\n"


def written(page: str, lines: str) -> str:
    """Return the page with other lines between its markers."""
    before, found, rest = page.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        sys.exit(f"the page has no {BEGIN.strip()} … {END.strip()}; add both markers")
    return f"{before}{BEGIN}{lines}{END}{after}"


if __name__ == "__main__":
    main()
