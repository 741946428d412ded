"""The oracle's view of the same queries, from rows, for comparison."""

from __future__ import annotations

from collections.abc import Sequence

from assay.metrics.core.toy_cases import Toy
from assay_oracle import Query

Row = tuple[str, str, float]


def members(toys: Sequence[Toy]) -> list[tuple[str, str, str]] | None:
    """(query, item, group) of evidence groups: gold by rank, then missed gold, in turns; None without."""
    if not any(toy.groups for toy in toys):
        return None
    found = []
    for number, toy in enumerate(toys):
        gold = [f"q{number}-{place}" for place, mark in enumerate(toy.ranking) if mark not in ".0"]
        gold += [f"q{number}-missed{at}" for at in range(len(toy.missed))]
        found += [(f"q{number}", item, str(at % toy.groups)) for at, item in enumerate(gold)]
    return found


def rows(toys: Sequence[Toy]) -> tuple[list[Query], list[Row], list[Row]]:
    """Queries, judgements and candidates; candidates of all queries are interleaved."""
    queries, judgements, candidates = [], [], []
    for number, toy in enumerate(toys):
        query = f"q{number}"
        queries.append(
            Query(
                query,
                post=toy.post,
                criterion=toy.criterion,
                prob=toy.prob,
                selected_k=toy.selected_k,
                state=toy.state,
                thresholds=dict(toy.thresholds),
                facts=dict(toy.facts),
            )
        )
        for place, mark in enumerate(toy.ranking):
            item = f"{query}-{place}"
            candidates.append((query, item, float(100 - place)))
            if mark != ".":
                judgements.append((query, item, float(mark)))
        missed = enumerate(toy.missed)
        judgements.extend((query, f"{query}-missed{at}", float(grade)) for at, grade in missed)
        judgements.extend((query, f"{query}-nonrel{at}", 0.0) for at in range(toy.missed_nonrel))
    candidates.sort(key=lambda row: row[1][::-1])
    return queries, judgements, candidates
