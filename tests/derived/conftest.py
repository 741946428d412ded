from __future__ import annotations

import pytest

from assay.metrics.core.registry import FAMILIES


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "family" in metafunc.fixturenames:
        only = metafunc.config.getoption("--family")
        names = [name for name in FAMILIES if only in (None, name)]
        metafunc.parametrize("family", [FAMILIES[name] for name in names], ids=names)


@pytest.fixture
def families() -> list[str]:
    """The names of all families."""
    return list(FAMILIES)
