"""Handmade queries, in the notation of the edge cases in docs/metrics.md."""

from __future__ import annotations

from .case import Case, Query


def query(
    ranked: str = "",
    missed: str = "",
    unlisted: int = 0,
    prob: float = 0.5,
    k: int = 0,
    state: str = "NEG",
    post: str = "p",
    criterion: str = "c",
) -> Query:
    """Return a query whose candidates have these grades in rank order; a dot is an unjudged one.

    `missed` has the grades of gold items that are not candidates; `unlisted` is the number of
    items judged non-relevant that are not candidates.
    """
    items = [f"s{rank}" for rank in range(len(ranked))]
    judged = {item: int(grade) for item, grade in zip(items, ranked, strict=True) if grade != "."}
    judged |= {f"m{at}": int(grade) for at, grade in enumerate(missed)}
    judged |= {f"u{at}": 0 for at in range(unlisted)}
    candidates = tuple((item, float(-rank)) for rank, item in enumerate(items))
    return Query(f"{post}|{criterion}", post, criterion, candidates, judged, prob, k, state)


def case(*queries: Query, tune: tuple[tuple[float, bool], ...] = ()) -> Case:
    return Case("by hand", queries, tune)


def gate(*rows: tuple[int, float], tune: tuple[tuple[float, bool], ...] = ()) -> Case:
    """Return a case of (label, probability) rows."""
    return case(*(query("1" if label else "0", prob=prob) for label, prob in rows), tune=tune)
