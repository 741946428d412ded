"""A skip is said with its reason, and is a failure in CI."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.mark.parametrize("where", ["", "true"], ids=["elsewhere", "in CI"])
def test_a_skip(tmp_path: Path, where: str) -> None:
    (tmp_path / "test_it.py").write_text(
        "import pytest\n\n\ndef test_it():\n    pytest.skip('no teapot')\n\n\n"
        "@pytest.mark.xfail\ndef test_known():\n    raise AssertionError\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider",
         "-p", "no:xdist", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), str(tmp_path)],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "CI": where, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert "no teapot" in done.stdout
    assert done.returncode == bool(where), done.stdout + done.stderr
    assert ("1 failed" in done.stdout) == bool(where)
    assert "1 xfailed" in done.stdout
