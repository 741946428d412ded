"""The report of 14,770 and of 100,000 queries: seconds to write, bytes, time until ready, time of a move.

`make bench-report`, or `report.py FOLDER` to keep the data. Times are from one machine.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

import assay
from generated_data import report_data

READY = "performance.getEntriesByName('ready')[0].startTime"
MOVE = """() => new Promise((done) => {
const range = document.getElementById('range-low'), times = [];
const next = () => {
  let begin = 0;
  requestAnimationFrame(() => { begin = performance.now(); });
  range.value = times.length * range.max / 100;
  range.dispatchEvent(new Event('input'));  // asks for the frame in which all is counted and drawn
  requestAnimationFrame(() => {
    document.body.offsetHeight;  // with the layout
    times.push(performance.now() - begin);
    if (times.length < 50) next(); else done(times.sort((a, b) => a - b));
  });
};
next(); })"""


SIZES = (1477, 10_000)
"""Posts; each has ten queries."""


def main(folder: Path) -> None:
    for posts in SIZES:
        measure(folder / str(posts), posts)


def measure(folder: Path, posts: int) -> None:
    """Write the page of one corpus, open it, and move a slider."""
    report_data.main(folder, posts, 10, 12, 0)
    result = assay.evaluate(
        folder / "predictions",
        folder / "corpus",
        tune=folder / "tune.csv",
        by="default",
        bootstrap=assay.Bootstrap(200),
    )
    bundle = result.save(folder / "bundle", overwrite=True)
    begin = time.process_time()
    page = assay.write_page([bundle], folder / "report.html")
    print(f"{10 * posts:,} queries", flush=True)
    print(f"  page: {page.stat().st_size:,} bytes, {time.process_time() - begin:.1f} CPU seconds")
    if posts == SIZES[0]:
        begin = time.monotonic()
        subprocess.run([sys.executable, "-m", "assay.cli", "report", str(bundle)], check=True)
        print(f"  report with figures and tables: {time.monotonic() - begin:.1f} s")
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    ready, moved = [], []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=arguments)
        for _ in range(5):
            tab = browser.new_page(viewport={"width": 1280, "height": 900})
            tab.goto(page.as_uri())
            tab.wait_for_selector("html[data-ready]")
            ready.append(tab.evaluate(READY))
            moved += tab.evaluate(MOVE)
            tab.close()
        browser.close()
    moved.sort()
    print(f"  ready after {median(ready):.0f} ms (median of {len(ready)}; worst {max(ready):.0f})")
    print(f"  a move of a slider: {median(moved):.1f} ms (of {len(moved)}; worst {moved[-1]:.1f})")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as name:
            main(Path(name))
