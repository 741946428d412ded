"""A case through assay, from tables to values, as a user would."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

import assay

from .case import Case

KEY = ["post_id", "criterion_id"]
Grades = dict[str, dict[str, int]]
Ranked = dict[str, dict[str, float]]


def values(case: Case, definitions: Iterable[str]) -> dict[str, float]:
    """Return the value of each definition; one that assay leaves out is not there."""
    result = assay.evaluate(predictions(case), corpus(case), measures=list(definitions), tune=_tune(case))
    return {value.definition: value.value for value in result.measures}


def corpus(case: Case) -> assay.Corpus:
    items = {(query.post, item) for query in case.queries for item in query.judged}
    items |= {(query.post, item) for query in case.queries for item, _ in query.candidates}
    gold = [(q.post, q.criterion, item, grade) for q in case.queries for item, grade in q.judged.items()]
    for at, (_, has_evidence) in enumerate(case.tune):
        items.add((f"tune{at}", f"tune{at}_s0"))
        gold.append((f"tune{at}", "c0", f"tune{at}_s0", int(has_evidence)))
    asked = [(q.post, q.criterion) for q in case.queries]
    asked += [(f"tune{at}", "c0") for at in range(len(case.tune))]
    return assay.Corpus.of(
        sentences=_frame(sorted(items), ["post_id", "sent_uid"]),
        criteria=pl.DataFrame({"criterion_id": sorted({q.criterion for q in case.queries} | {"c0"})}),
        gold=_frame(gold, [*KEY, "sent_uid", "grade"]),
        queries=_frame(asked, KEY),
    )


def predictions(case: Case) -> assay.Predictions:
    listed = [(q.post, q.criterion, item, score) for q in case.queries for item, score in q.candidates]
    decided = [(q.post, q.criterion, q.prob, q.selected_k, q.state) for q in case.queries]
    return assay.Predictions.of(
        _frame(listed, [*KEY, "sent_uid", "score"]), _frame(decided, [*KEY, "prob", "selected_k", "state"])
    )


def plain(case: Case) -> tuple[Grades, Ranked]:
    """Return qrels and a run, as pytrec_eval takes them; queries without judgements are left out."""
    grades = {query.id: dict(query.judged) for query in case.queries if query.judged}
    run = {query.id: dict(query.candidates) for query in case.queries if query.candidates}
    return grades, {query: listed for query, listed in run.items() if query in grades}


def trec_result(case: Case, definitions: Iterable[str]) -> assay.Result:
    """Return the measures of a plain run, under trec_eval's order of ties."""
    grades, run = plain(case)
    rows = [(query, item, float(g)) for query, row in grades.items() for item, g in row.items()]
    judged = assay.read_trec(_frame(rows, ["query_id", "doc_id", "score"]), run)
    return assay.evaluate(judged, contract="trec_eval/10", measures=list(definitions))


def _tune(case: Case) -> pl.DataFrame | None:
    rows = [(f"tune{at}", "c0", prob) for at, (prob, _) in enumerate(case.tune)]
    return _frame(rows, [*KEY, "prob"]) if rows else None


def _frame(rows: Sequence[tuple[object, ...]], columns: list[str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=columns, orient="row")
