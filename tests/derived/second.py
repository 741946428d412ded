"""The oracle's view of the same queries, from rows, for comparison."""

from __future__ import annotations

from collections.abc import Sequence

from assay.metrics.toy import Toy
from assay_oracle import Query

Row = tuple[str, str, float]


def rows(toys: Sequence[Toy]) -> tuple[list[Query], list[Row], list[Row]]:
    """Queries, judgements and candidates; candidates of all queries are interleaved."""
    queries, judgements, candidates = [], [], []
    for number, toy in enumerate(toys):
        query = f"q{number}"
        queries.append(Query(query, prob=toy.prob, selected_k=toy.selected_k))
        for place, mark in enumerate(toy.ranking):
            item = f"{query}-{place}"
            candidates.append((query, item, float(100 - place)))
            if mark != ".":
                judgements.append((query, item, float(mark)))
        for number_missed, grade in enumerate(toy.missed):
            judgements.append((query, f"{query}-missed{number_missed}", float(grade)))
        for number_nonrel in range(toy.missed_nonrel):
            judgements.append((query, f"{query}-nonrel{number_nonrel}", 0.0))
    candidates.sort(key=lambda row: row[1][::-1])
    return queries, judgements, candidates
