"""Compare two retrieval runs: means with intervals, a significance test, queries, a plot."""

from pathlib import Path

import matplotlib.pyplot as plt

import assay

DATA = Path(__file__).parent / "data"
QRELS, BM25, DENSE = DATA / "qrels.txt", DATA / "bm25.txt", DATA / "dense.txt"

result = assay.evaluate(DENSE, qrels=QRELS, measures=["nDCG@10", "AP", "P@5", "RR", "R@20"], bootstrap=1000)
print(result)

comparison = assay.compare(BM25, DENSE, qrels=QRELS, measures=["nDCG@10", "AP"], names=["bm25", "dense"])
print(comparison)

queries = result.per_query()  # a Polars frame with one row per query
print(queries.sort("nDCG@10").head(3))

figure, axes = plt.subplots()
assay.CutoffDisplay.of(assay.evaluate(DENSE, qrels=QRELS)).draw(axes)
figure.savefig("cutoffs.png")
