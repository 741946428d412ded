"""The progress line: only on a terminal, only for long work, cleared at the end and on Ctrl-C."""

from __future__ import annotations

import io

import pytest

from assay.cli.render import progress_bar as bars
from assay.cli.render.progress_bar import CLEAR, progress_bar


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def screen(monkeypatch: pytest.MonkeyPatch, patience: float = 0.0) -> Screen:
    """Stand in for stderr; in the test itself, because pytest replaces stderr after fixtures ran."""
    made = Screen()
    monkeypatch.setattr(bars, "PATIENCE", patience)
    monkeypatch.setattr("sys.stderr", made)
    monkeypatch.setattr(bars, "PAUSE", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    return made


def test_short_work_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = screen(monkeypatch, patience=60.0)
    with progress_bar() as listen:
        assert listen is not None
        listen("resamples", 1, 2)
    assert shown.getvalue() == ""


def test_long_work_is_drawn_and_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = screen(monkeypatch)
    with progress_bar() as listen:
        assert listen is not None
        listen("resamples", 0, 10_000)
        listen("resamples", 5_000, 10_000)
    shown = stderr.getvalue()
    assert f"resamples {'━' * 15}{'─' * 15} 5,000 of 10,000" in shown
    assert shown.endswith(CLEAR)


def interrupted() -> None:
    with progress_bar() as listen:
        assert listen is not None
        listen("resamples", 1, 2)
        raise KeyboardInterrupt


def test_an_interrupt_clears_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = screen(monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert stderr.getvalue().endswith(CLEAR)


@pytest.mark.parametrize("dumb", [True, False])
def test_nobody_looks(dumb: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", Screen() if dumb else io.StringIO())
    monkeypatch.setenv("TERM", "dumb" if dumb else "xterm")
    with progress_bar() as listen:
        assert listen is None
