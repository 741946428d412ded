"""Define a measure of your own and use it like any other."""

from pathlib import Path

import assay

DATA = Path(__file__).parent / "data"


def top_is_best(grades: list[float], gold: list[float]) -> float:
    """Whether the first candidate has the highest grade there is."""
    return float(bool(grades) and grades[0] == max(gold))


assay.define_measure("top_is_best", top_is_best, range=(0, 1))
result = assay.evaluate(
    DATA / "dense.txt", qrels=DATA / "qrels.txt", measures=["top_is_best", "ndcg@10"], bootstrap=500
)
print(result)
