"""What `assay show` prints about queries: the worst of them, and one in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from assay.evaluation.display.result_tables import number
from assay.evaluation.presentation import ARROWS, counted
from assay.evaluation.result import Value
from assay.report.bundle_queries import QueryView
from assay.report.page.post_text import Texts
from assay.report.report_bundle import Bundle
from assay.text_table import TextTable

DEEPEST = 20
"""Candidates that are listed whether they are gold or not."""


def view_document(view: QueryView, texts: Texts | None) -> dict[str, Any]:
    """Return a query for JSON; texts only where they were asked for."""
    document = {**asdict(view), "first_gold": view.first_gold}
    if texts is not None:
        document["criterion_text"] = _criterion(view, texts)
        for each in document["items"]:
            each["text"] = _text(view, each["item"], texts)
    return document


def worst_parts(views: Sequence[QueryView], measures: Sequence[Value], known: int) -> list[TextTable | str]:
    """Return one row per query, the worst first, and how many share the last value."""
    first = measures[0]
    facts = [name for name in ("prob", "state", "selected_k") if views and name in views[0].decision]
    rows = tuple(
        (
            view.query,
            *(_value(view, each) for each in measures),
            str(view.gold),
            _dash(view.first_gold),
            str(view.candidates),
            *(_fact(view.decision[name]) for name in facts),
        )
        for view in views
    )
    heads = {"selected_k": "selected K"}
    head = ("query", *(each.name for each in measures), "gold", "first gold at", "candidates")
    names = (*head, *(heads.get(name, name) for name in facts))
    state = tuple(at for at, name in enumerate(names) if name == "state")
    title = (
        f"The {counted(len(views), 'query', 'queries')} with the worst {first.name} {ARROWS[first.better]}"
    )
    title += f", of {known:,} with a value"
    optional = tuple(at for at, name in enumerate(names) if name in ("candidates", "selected K"))
    table = TextTable(title, names, rows, (0, *state), optional)
    return [table, "See one of them in full: assay show BUNDLE --query QUERY"]


def query_parts(bundle: Bundle, view: QueryView, texts: Texts | None) -> list[TextTable | str]:
    """Return the decision, the candidates and the values of one query."""
    evidence = f"{counted(view.gold, 'gold item')}" if view.gold else "no evidence"
    head = f"{view.query} of {bundle.name} under {bundle.result.contract.id}: "
    head += f"{evidence}, {counted(view.candidates, 'candidate')}"
    if texts is not None and _criterion(view, texts):
        head += f"\n{_criterion(view, texts)}"
    names = {"prob": "probability", "selected_k": "selected K"}
    facts = tuple(
        (names.get(name, name), ("no", "yes")[value] if name == "answered" else _fact(value))
        for name, value in view.decision.items()
        if value is not None
    )
    parts: list[TextTable | str] = [head]
    if facts:
        parts.append(TextTable("Decision", ("fact", "value"), facts, (0, 1)))
    if view.items:
        parts.append(_items(view, texts))
    if view.values:
        parts += _values(bundle, view)
    return [*parts, "\n".join(outcome(view))]


def outcome(view: QueryView) -> list[str]:
    """Say what the query got right or wrong, and what it would take to change that."""
    gold = [each for each in view.items if each.gold]
    ranks = [each.rank for each in gold if each.rank is not None]
    returned = sum(each.returned is True for each in gold)
    k = view.decision.get("selected_k")
    lines = []
    if not view.decision.get("answered", 1):
        lines.append("The system gave no answer to this query.")
    if gold and view.candidates:
        found = f"{len(ranks)} of {counted(len(gold), 'gold item')} among the candidates"
        lines.append(
            found + (f", at rank{'s' * (len(ranks) > 1)} {', '.join(map(str, ranks))}." if ranks else ".")
        )
    if gold and k is not None:
        line = f"K = {k} returns {returned} of them"
        if ranks and returned < len(ranks):
            line += f"; K = {ranks[-1]} would return all that were retrieved"
        lines.append(f"{line}.")
    elif k:
        lines.append(f"There is no evidence, and K = {k} returns {counted(k, 'candidate')}: a false alarm.")
    return [*lines, *_gate(view)]


def _gate(view: QueryView) -> list[str]:
    """Say how far the probability is from the next state."""
    prob, state = view.decision.get("prob"), view.decision.get("state")
    taus = {name: view.decision.get(name) for name in ("tau_neg", "tau_pos")}
    if prob is None or state is None or any(each is None for each in taus.values()):
        return []
    if view.gold and state == "NEG":
        return [f"It is NEG: a probability of at least {taus['tau_neg']:g} would not have dismissed it."]
    if view.gold and state == "UNCERTAIN":
        return [f"It is UNCERTAIN: a probability of at least {taus['tau_pos']:g} would have made it POS."]
    if not view.gold and state != "NEG":
        return [f"It is {state}: only a probability below {taus['tau_neg']:g} is NEG."]
    return []


def _items(view: QueryView, texts: Texts | None) -> TextTable:
    """Return the first candidates, all gold below them, and the gold that was not retrieved."""
    listed = [each for each in view.items if each.gold or (each.rank or 0) <= DEEPEST]
    graded = any(each.grade not in (0, 1) for each in view.items)
    chosen = any(each.returned is not None for each in view.items)
    head = ["rank", "item", "score", "gold", *(["grade"] if graded else [])]
    head += [*(["returned"] if chosen else []), *(["text"] if texts is not None else [])]
    rows = []
    for each in listed:
        row = [_dash(each.rank), each.item, "–" if each.score is None else f"{each.score:.6g}"]
        row += ["gold" if each.gold else "", *([f"{each.grade:g}"] if graded else [])]
        row += ["yes" if each.returned else ""] if chosen else []
        row += [_text(view, each.item, texts)] if texts is not None else []
        rows.append(tuple(row))
    title = "Candidates in rank order"
    hidden = len(view.items) - len(listed)
    if hidden:
        title += f" (the first {DEEPEST} and all gold; {hidden:,} others are in the JSON)"
    left = tuple(at for at, name in enumerate(head) if name not in ("rank", "score", "grade"))
    return TextTable(title, tuple(head), tuple(rows), left)


def _values(bundle: Bundle, view: QueryView) -> list[TextTable | str]:
    """Return the values, measures with cut-offs as one row each."""
    better = {value.name: value.better for value in bundle.result.measures}
    cuts = list(dict.fromkeys(name.partition("@")[2] for name in view.values if _cut(name)))
    labels = dict.fromkeys(name.partition("@")[0] for name in view.values if _cut(name))
    parts: list[TextTable | str] = []
    if cuts:
        rows = tuple(
            (label + "@k", *(_at(view, f"{label}@{cut}", better) for cut in cuts)) for label in labels
        )
        parts.append(TextTable("Values at cut-off k", ("measure", *(f"k={cut}" for cut in cuts)), rows))
    rest = tuple(
        (name, ARROWS.get(better[name], ""), number(value, better[name]))
        for name, value in view.values.items()
        if not _cut(name)
    )
    if rest:
        parts.append(TextTable("Other values", ("measure", "", "value"), rest, (0, 1)))
    return parts


def _cut(name: str) -> bool:
    """Return whether a name ends with a cut-off; a definition id has more after it."""
    return "@" in name and ":" not in name


def _at(view: QueryView, name: str, better: dict[str, str]) -> str:
    return number(view.values[name], better[name]) if name in view.values else "–"


def _value(view: QueryView, measure: Value) -> str:
    found = view.values.get(measure.name)
    return "–" if found is None else number(found, measure.better)


def _fact(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else _dash(value)


def _dash(value: object) -> str:
    return "–" if value is None else str(value)


def _text(view: QueryView, item: str, texts: Texts | None) -> str:
    return "" if texts is None else texts.sentences.get((next(iter(view.keys.values())), item), "")


def _criterion(view: QueryView, texts: Texts) -> str:
    return texts.criteria.get(view.keys.get("criterion_id", ""), "")
