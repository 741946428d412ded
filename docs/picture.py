"""Make docs/report.png, the screenshot in the README, from the demo's report: `make picture`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "build" / "demo" / "run" / "bundle" / "report.html"
CHROMIUM = os.environ.get("ASSAY_CHROMIUM", "/usr/bin/chromium")


def main() -> None:
    """Take a screenshot of the top of the page."""
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    with sync_playwright() as play:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = play.chromium.launch(executable_path=CHROMIUM, args=arguments)
        page = browser.new_page(viewport={"width": 1360, "height": 1620}, device_scale_factor=0.75)
        page.goto(source.resolve().as_uri())
        page.wait_for_selector("html[data-ready]")
        page.screenshot(path=ROOT / "docs" / "report.png")
        browser.close()


if __name__ == "__main__":
    main()
