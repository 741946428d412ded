"""Rows as a data frame of Polars or pandas, and numbers for experiment trackers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import AssayError, MissingExtraError, shown

if TYPE_CHECKING:
    import polars as pl

FrameKind = Literal["polars", "pandas"]


def as_frame(frame: pl.DataFrame, kind: FrameKind) -> Any:
    """Return a Polars frame as the library of the given name has it.

    Polars is the default, because it is always installed and the type then never depends on what
    else a process has imported. The way to pandas needs no pyarrow.
    """
    if kind == "polars":
        return frame
    if kind != "pandas":
        raise AssayError(f"a frame of {shown(kind)} was asked for; expected 'polars' or 'pandas'")
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError("to_frame('pandas') needs pandas: pip install pandas") from None
    return pd.DataFrame(frame.to_dict(as_series=False))


def flat_numbers(numbers: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return numbers under keys of letters, digits, `_`, `-`, `.` and `/`, which trackers accept.

    >>> flat_numbers([("ndcg@10", 0.5), ("tune/f1", 1.0)])
    {'ndcg_at_10': 0.5, 'tune/f1': 1.0}
    """
    flat: dict[str, float] = {}
    for name, value in numbers:
        key = re.sub(r"[^A-Za-z0-9_./-]", "_", name.replace("@", "_at_"))
        if key in flat:
            raise AssayError(f"two measures would be called {key}; rename {name}")
        flat[key] = value
    return flat
