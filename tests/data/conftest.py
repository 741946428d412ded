"""Four queries as rows, and the frame libraries that a caller may have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

Columns = dict[str, list[Any]]
Make = Callable[[Columns], Any]

LIBRARIES: dict[str, tuple[Make, type]] = {
    "pandas": (pd.DataFrame, pd.DataFrame),
    "polars": (pl.DataFrame, pl.DataFrame),
    "pyarrow": (pa.table, pa.Table),
}


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> tuple[Make, type]:
    """How a library makes a frame of columns, and the type of its frames."""
    return LIBRARIES[request.param]
