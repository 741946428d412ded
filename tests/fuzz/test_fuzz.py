"""A short run of the fuzzer, always the same cases; `make fuzz` is the long one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[2]


def test_some_cases() -> None:
    """In a separate process: the one that forks must not have used Polars."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.run", "--seed", "1", "--cases", "20", "--seconds", "0", "--quick"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-2000:]
    assert re.search(r"^20 cases in", ran.stdout, re.MULTILINE)
    assert "0 faults of 0 kinds" in ran.stdout
