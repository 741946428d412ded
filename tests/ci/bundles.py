"""Bundles of a good and a bad ranking of the same posts, small and quick to save."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

import assay

ROOT = Path(__file__).parents[2]
QUERIES, CANDIDATES = 60, 6


def save_bundles(folder: Path) -> Path:
    """Write the bundles `good` and `bad` into a folder."""
    queries = [f"q{query:02}" for query in range(QUERIES)]
    qrels = pl.DataFrame({"query_id": queries, "doc_id": ["d2"] * QUERIES, "score": [1] * QUERIES})
    for name, gain, seed in (("good", 0.5, 0), ("bad", 0.0, 1)):
        rng = np.random.default_rng(seed)
        run = {
            query: [(f"d{at}", rng.normal(0, 0.3) + gain * (at == 2)) for at in range(CANDIDATES)]
            for query in queries
        }
        assay.evaluate(assay.read_trec(qrels, run), system=name).save(folder / name)
    return folder
