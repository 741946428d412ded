"""What all tests share: the family filter, and real data that must be there in CI."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "data"

settings.register_profile(
    "assay",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("assay")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--family", help="derived tests of this measure family only")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data. CI has it beside the checkout and must not skip."""
    if not SHARED.is_dir():
        reason = "real data are not at ../shared/data: tests on them did not run"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return SHARED
