"""Bundles to report on, made once a session, and a real browser where there is one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from assay.report.report_folder import write_page
from tests.command import exit_code
from tests.report import worlds

BUILDS = ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium")  # the first opens pages faster
CHROMIUM = os.environ.get("ASSAY_CHROMIUM") or next(filter(os.path.isfile, BUILDS), BUILDS[-1])
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bundles")


@pytest.fixture(scope="session")
def example(made: Path) -> Path:
    return worlds.example_bundle(made / "example")


@pytest.fixture(scope="session")
def hostile(made: Path) -> tuple[Path, Path]:
    return worlds.hostile(made / "hostile")


@pytest.fixture(scope="session")
def five(made: Path) -> list[Path]:
    return worlds.runs(made / "five", 5)


@pytest.fixture(scope="session")
def small_page(made: Path) -> Path:
    """Five runs on 54 queries, the fewest that have a second page: each point is a row of tables."""
    return write_page(worlds.runs(made / "small", 5, posts=18), made / "small.html")


@pytest.fixture
def fresh(example: Path, tmp_path: Path) -> Path:
    """A copy of the example's bundle that a test may write into."""
    return Path(shutil.copytree(example, tmp_path / "bundle"))


@pytest.fixture(scope="session")
def reported(example: Path, made: Path) -> Path:
    """The example's bundle with the report that the command made of it; to be copied."""
    folder = Path(shutil.copytree(example, made / "reported" / "bundle"))
    with pytest.MonkeyPatch.context() as patched:
        assert exit_code(patched, "report", folder) == 0
    return folder


@pytest.fixture(scope="session")
def example_page(example: Path, made: Path) -> Path:
    return write_page([example], made / "example.html", with_text=worlds.EXAMPLE / "corpus")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright  # it may be absent
    except ImportError:
        pytest.skip("playwright is not installed: no page was opened")
    if not Path(CHROMIUM).is_file():
        pytest.skip(f"no chromium at {CHROMIUM}: no page was opened (apt-get install chromium)")
    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


@dataclass
class Visit:
    """A page that was opened from disk, with everything it said and asked for."""

    page: Any
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.page, name)


@pytest.fixture
def visit(browser: Any) -> Iterator[Any]:
    contexts = []

    def open_page(path: Path, *, width: int = 1280, dark: bool = False) -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        seen = Visit(context.new_page())
        seen.page.on("console", lambda said: seen.messages.append(f"{said.type}: {said.text}"))
        seen.page.on("pageerror", lambda error: seen.messages.append(f"error: {error}"))
        seen.page.on("request", lambda asked: seen.requests.append(asked.url))
        seen.page.goto(path.as_uri())
        seen.page.wait_for_selector("html[data-ready]", timeout=20_000)
        return seen

    yield open_page
    for context in contexts:
        context.close()
