"""Rankings from arrays against the same rankings from frames, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import assay


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("many", [False, True])
def test_arrays_and_frames_agree(seed: int, many: bool) -> None:
    """Ties, lists of any length, empty lists, gold outside; sorted, counted and sorted again."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 40, 12)
    lengths[0] = 30
    scores = rng.integers(0, 9, lengths.sum()) / 4.0
    grades = rng.choice([0, 0, 1, 2] if many else [0] * 12 + [1, 2], lengths.sum()).astype(float)
    grades[0] = 1.0
    missed = [(int(rng.integers(0, 12)), 1.0) for _ in range(4)]
    given = assay.Arrays.of(scores, grades, lengths, missed)

    query = np.repeat(np.arange(12), lengths)
    rows = [(str(q), f"d{at}", float(s)) for at, (q, s) in enumerate(zip(query, scores, strict=True))]
    golden = [(str(q), f"d{at}", float(g)) for at, (q, g) in enumerate(zip(query, grades, strict=True)) if g]
    golden += [(str(q), f"m{at}", g) for at, (q, g) in enumerate(missed)]
    names = ["query_id", "doc_id", "score"]
    framed = assay.read_trec(
        pl.DataFrame(golden, schema=names, orient="row"), pl.DataFrame(rows, schema=names, orient="row")
    )
    a, b = assay.evaluate(given), assay.evaluate(framed)
    assert {value.name: value.value for value in a.values()} == pytest.approx(
        {value.name: value.value for value in b.values()}, abs=1e-12
    )
    assert [value.tie_sensitive for value in a.values()] == [value.tie_sensitive for value in b.values()]


def test_by_hand() -> None:
    # ranked d1 (gold), d0, d2; one more gold was not listed
    given = assay.Arrays.of([0.5, 0.9, 0.1], [0, 1, 0], [3], [(0, 1)])
    result = assay.evaluate(given)
    assert result["recall@1"].value == 0.5
    assert result["mrr"].value == 1.0
    assert result["ndcg@3"].value == pytest.approx(1 / (1 + 1 / math.log2(3)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0], [1.0, 0.0], [1]), "scores have shape (1,), grades (2,); expected one grade a score"),
        (([1.0], [1.0], [2]), "lengths add up to 2, the scores are 1"),
        (([1.0, math.nan], [1.0, 0.0], [2]), "place 1: score is nan; scores must be finite"),
        (([1.0], [math.inf], [1]), "grade is inf"),
        (([1.0], [1.0], [1], [(3, 1.0)]), "missed names an unknown query"),
    ],
)
def test_refused(arguments: tuple[list[float], ...], message: str) -> None:
    with pytest.raises(assay.InputError) as caught:
        assay.Arrays.of(*arguments)  # type: ignore[arg-type] # of other lengths and kinds
    assert message in str(caught.value)


def test_ties_by_id_need_ids() -> None:
    tied = assay.Arrays.of([1.0, 1.0], [0.0, 1.0], [2])
    with pytest.raises(assay.InputError, match="has ties and no ids"):
        assay.evaluate(tied, contract="trec_eval/10")
    apart = assay.Arrays.of([1.0, 2.0], [0.0, 1.0], [2])
    assert assay.evaluate(apart, contract="trec_eval/10")["recip_rank"].value == 1.0
