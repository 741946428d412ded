"""Make docs/report.png, the picture of the README: `make picture`.

The example is evaluated, its page is written and opened in the chromium of the system.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import assay

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "src" / "assay" / "example"
CHROMIUM = os.environ.get("ASSAY_CHROMIUM", "/usr/bin/chromium")


def main() -> None:
    """The top of the page, as a reader sees it first."""
    result = assay.evaluate(
        EXAMPLE / "predictions", EXAMPLE / "corpus", by="default", bootstrap=assay.Bootstrap(1000),
        system="example",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as name, sync_playwright() as play:
        folder = Path(name)
        target = assay.write_page([result.save(folder / "bundle")], folder / "report.html")
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = play.chromium.launch(executable_path=CHROMIUM, args=arguments)
        page = browser.new_page(viewport={"width": 1360, "height": 1620}, device_scale_factor=0.75)
        page.goto(target.as_uri())
        page.wait_for_selector("html[data-ready]")
        page.screenshot(path=ROOT / "docs" / "report.png")
        browser.close()


if __name__ == "__main__":
    main()
