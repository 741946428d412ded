"""One Spark cluster and one session for all tests; without Java they are skipped with the reason."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engines.cluster import Cluster


@pytest.fixture(scope="session")
def java() -> None:
    """Skip where there is no Java: Spark cannot start."""
    if shutil.which("java") is None:
        pytest.skip("no Java (apt-get install openjdk-17-jre-headless): Spark was not tested")


@pytest.fixture(scope="session")
def cluster(java: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("spark"))
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="session")
def spark(cluster: Cluster) -> Iterator[Any]:
    session = cluster.session()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the same run in every format that Spark reads."""
    from tests.engines.inputs import write_runs

    return write_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus and two systems that decide, with TUNE queries and folds."""
    from tests.engines.inputs import write_corpus

    return write_corpus(tmp_path_factory.mktemp("corpus"))
