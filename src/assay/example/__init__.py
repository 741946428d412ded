"""A small fictional example: a corpus, predictions, and the same data as plain IR."""

from __future__ import annotations

from pathlib import Path


def example_path(name: str = "") -> Path:
    """Return the path of a part of the example that comes with assay.

    Parameters
    ----------
    name
        `corpus`, `predictions`, `qrels.txt` or `run.txt`; the whole folder by default.

    Returns
    -------
    Path
        The file or folder.

    Examples
    --------
    >>> assay.example_path("corpus").name
    'corpus'

    """
    return Path(__file__).parent / name
