"""The documentation site opens from disk in a real browser without a network: formulas, search, pictures."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.report.conftest import ARGUMENTS, CHROMIUM

ROOT = Path(__file__).parents[2]
PATIENCE = 300_000  # ms; nothing is expected to take as long, but a machine may be busy with other work
pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (ROOT / ".venv" / "katex" / "iframe-worker").is_dir():
        pytest.skip("KaTeX is not there (make katex): the site was not built")
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    if not Path(CHROMIUM).is_file():
        pytest.skip(f"no chromium at {CHROMIUM}: the site was not opened (apt-get install chromium)")
    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, timeout=PATIENCE)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page without a network; whatever asks for one fails the test."""
    context = browser.new_context(offline=True)
    context.set_default_timeout(PATIENCE)
    context.set_default_navigation_timeout(PATIENCE)
    opened = context.new_page()
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    yield opened
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
    context.close()


def test_every_formula_is_drawn(site: Path, page: Any) -> None:
    page.goto((site / "metrics.html").as_uri())
    formulas = page.locator(".arithmatex").count()
    written = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8").count("\n$$")
    assert formulas == written > 50
    assert page.locator(".arithmatex > .katex-display").count() == formulas
    assert page.locator(".katex-error").count() == 0


def test_search_finds_measures_from_disk(site: Path, page: Any) -> None:
    """From disk the theme loads its index when the field gets the focus, and answers nothing before that is done."""
    page.goto((site / "index.html").as_uri())
    page.locator(".md-search__input").click()
    page.locator(".md-search-result__meta", has_text="Type to start searching").wait_for(state="attached")
    page.locator(".md-search__input").fill("risk coverage")
    page.locator(".md-search__input").press("Shift")  # the theme reads the field at the end of a key press
    links = page.locator(".md-search-result__link")
    links.first.wait_for(state="attached")
    found = links.evaluate_all("all => all.map(each => each.href)")
    assert any("metrics.html" in link for link in found)


def test_search_results_have_no_tex_and_options_stay_in_one_line(site: Path, page: Any) -> None:
    assert "frac{" in (site / "metrics.html").read_text(encoding="utf-8")
    assert "frac{" not in (site / "search" / "search_index.json").read_text(encoding="utf-8")
    page.goto((site / "statistics.html").as_uri())
    options = page.locator("p code", has_text="--ci")
    assert options.count() > 0
    assert set(options.evaluate_all("all => all.map(each => each.getClientRects().length)")) == {1}


def test_every_picture_loads(site: Path, page: Any) -> None:
    shown = 0
    for path in sorted(site.rglob("*.html")):
        if "<img" not in path.read_text(encoding="utf-8"):
            continue
        page.goto(path.as_uri())
        broken = "[...document.images].filter(each => !each.naturalWidth).map(each => each.src)"
        assert page.evaluate(broken) == [], path
        shown += page.locator("article img").count()
    assert shown >= 8


def test_the_site_asks_for_nothing(site: Path) -> None:
    """No page loads a script, style, font or picture from elsewhere."""
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for sign in ('src="http', 'src="//', 'rel="stylesheet" href="http', 'rel="preconnect"'):
            assert sign not in text, (os.fspath(path), sign)
