"""The command line in the process of a test."""

from __future__ import annotations

import gc
import sys

import pytest

from assay.cli import main


def exit_code(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    """Call a command; what it does not catch fails the test.

    A command leaves the collection of garbage off, because its process ends. This one does not.
    """
    monkeypatch.setattr(sys, "argv", ["assay", *map(str, arguments)])
    try:
        main()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    finally:
        gc.enable()
        gc.unfreeze()
    return 0
