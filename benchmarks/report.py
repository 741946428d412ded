"""The report of 14,770 queries: seconds to write, bytes, and how soon the page is ready.

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
  range.value = times.length / 100;
  range.dispatchEvent(new Event('input'));  // asks for the frame in which all is counted and drawn
  requestAnimationFrame(() => {
    document.body.offsetHeight;  // with the layout
    times.push(performance.now() - begin);
    if (times.length < 50) next(); else done(times.sort((a, b) => a - b));
  });
};
next(); })"""


def main(folder: Path) -> None:
    report_data.main(folder, 1477, 10, 12, 0)
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
    print(f"page: {page.stat().st_size:,} bytes, {time.process_time() - begin:.1f} CPU seconds")
    begin = time.monotonic()
    subprocess.run([sys.executable, "-m", "assay.cli", "report", str(bundle)], check=True)
    print(f"report with figures and tables: {time.monotonic() - begin:.1f} s")
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=arguments)
        ready = []
        for _ in range(5):
            tab = browser.new_page(viewport={"width": 1280, "height": 900})
            tab.goto(page.as_uri())
            tab.wait_for_selector("html[data-ready]")
            ready.append(tab.evaluate(READY))
            moved = tab.evaluate(MOVE)
            tab.close()
        browser.close()
    print(f"ready after {median(ready):.0f} ms (median of {len(ready)}; worst {max(ready):.0f})")
    print(f"a move of a slider: {median(moved):.1f} ms (of 50; worst {moved[-1]:.1f})")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as name:
            main(Path(name))
