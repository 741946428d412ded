"""What all tests share: the family filter, real data, and that CI skips nothing."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(
        threads, "1"
    )  # threads of two test processes wait for each other: minutes instead of seconds

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "data"

os.environ["COLUMNS"] = "100"  # commands print as wide as in a pipe, whatever the terminal and xdist say

settings.register_profile(
    "assay",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("assay")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--family", help="derived tests of this measure family only")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where CI is set, what would be skipped fails: CI has all that a test needs."""
    report = yield
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        why = call.excinfo.value if call.excinfo else "skipped"
        report.longrepr = f"{item.nodeid}: {why}; CI must not skip this"
    return report


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data, next to the checkout."""
    if not SHARED.is_dir():
        pytest.skip("real data are not at ../shared/data: tests on them did not run")
    return SHARED
