"""Which columns of judgements and runs hold the query, the item and the number.

A column is recognised by its name, whatever its case and however its words are joined, or is named
by the caller. Where several fit equally well the caller must choose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.data.input_types import Columns, wrong_type
from assay.errors import Fault, InputError, shown

Names = tuple[tuple[str, ...], ...]
"""Recognised names: any of the first group is preferred to all of the second."""

QUERY: Names = (
    ("query_id", "queryid", "qid", "q_id", "topic_id", "topicid", "question_id"),
    ("query", "topic"),
)
ITEM: Names = (
    (
        *("doc_id", "docid", "docno", "doc_no", "document_id", "corpus_id", "pid", "passage_id"),
        *("chunk_id", "sent_uid", "sentence_id", "item_id"),
    ),
    ("item", "doc", "document", "passage", "chunk"),
)
GRADE: Names = (
    ("grade", "relevance", "rel", "relevant", "label", "judgment", "judgement", "relevance_label"),
    ("score", "relevance_grade", "relevance_score", "graded_relevance", "rel_grade", "gain"),
)
SCORE: Names = (
    ("score", "sim", "similarity", "rsv"),
    ("relevance_score", "retrieval_score", "similarity_score"),
)


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of table: what its columns hold, and their places in files without a header."""

    what: str  # "judgements" or "a run"
    parameter: str  # the parameter that names its columns
    roles: Mapping[str, Names]
    places: Mapping[int, tuple[int, int, int]]  # number of columns: places of query, item, number

    @property
    def number(self) -> str:
        """What the number is called."""
        return list(self.roles)[2]


QRELS = Form(
    "judgements",
    "qrels_columns",
    {"query": QUERY, "item": ITEM, "grade": GRADE},
    {3: (0, 1, 2), 4: (0, 2, 3)},
)
RUN = Form(
    "a run", "run_columns", {"query": QUERY, "item": ITEM, "score": SCORE}, {3: (0, 1, 2), 6: (0, 2, 4)}
)
RANKS = Form("a run", "run_columns", {"query": QUERY, "item": ITEM, "rank": (("rank",),)}, RUN.places)
"""A run with ranks in place of scores, which the caller names: 1 is the first."""
INTERNAL = {"docid", "docno"}
"""PyTerrier's frames have both: `docno` is the document's id, `docid` its number in the index."""


def named_columns(given: Columns | None, form: Form) -> dict[str, str]:
    """Return the columns that the caller names, by role, from a mapping or `query=q,item=d`."""
    if given is None:
        return {}
    roles = ", ".join(form.roles)
    if isinstance(given, str):
        pairs = [part.partition("=") for part in given.split(",")]
        if any(not (role.strip() and column.strip()) for role, _, column in pairs):
            expected = f"expected ROLE=COLUMN, separated by commas, with the roles {roles}"
            raise InputError.of(f"`{form.parameter}`", f"is {shown(given)}", expected)
        if len({role.strip() for role, _, _ in pairs}) < len(pairs):
            raise InputError.of(f"`{form.parameter}`", "names a role twice", "expected each role once")
        given = {role.strip(): column.strip() for role, _, column in pairs}
    if not isinstance(given, Mapping):
        raise wrong_type(form.parameter, given, f"a dict of {roles} to column names, or 'query=COLUMN,…'")
    if is_ranked(form, given) and "score" in given:
        raise InputError.of("`run_columns`", "names both a rank and a score", "expected one of them")
    unknown = [role for role in given if role not in (RANKS.roles if is_ranked(form, given) else form.roles)]
    if unknown:
        expected = f"expected {roles}" + (", or rank in place of score" if form is RUN else "")
        raise InputError.of(f"`{form.parameter}`", f"{form.what} has no {shown(unknown[0])}", expected)
    return {role: str(column) for role, column in given.items()}


def is_ranked(form: Form, named: Mapping[str, str]) -> bool:
    """Return whether the caller names a column of ranks for a run."""
    return form is RUN and "rank" in named


def chosen_columns(
    names: Sequence[str], source: str, form: Form, named: Mapping[str, str], *, header: bool = False
) -> list[str]:
    """Return the columns of query, item and number, or raise what keeps them from being known.

    `header`: the names come from the first row of a text file, which may be data.
    """
    faults, chosen, missing = [], [], []
    has = column_list(names, header=header)
    for role, known in form.roles.items():
        found = _named(names, named[role]) if role in named else recognised(names, known)
        chosen += found[:1]
        choose = f"`{form.parameter}='{role}=COLUMN'`"
        if len(found) > 1:
            problem = f"{len(found)} columns fit the {role}: {', '.join(found)}"
            faults.append(Fault(source, "", problem, f"choose one with {choose}"))
        elif not found and role in named:
            expected = f"name the {role} column with {choose} ({has})"
            faults.append(Fault(source, "", f"no column {shown(named[role])}", expected))
        elif not found:
            missing.append(role)
    if missing:
        problem = f"no column for the {' and the '.join(', the '.join(missing).rsplit(', the ', 1))}"
        choose = f"`{form.parameter}='{','.join(f'{role}=COLUMN' for role in missing)}'`"
        usual = ", ".join(form.roles[role][0][0] for role in missing)
        expected = f"name it with {choose}, or call it {usual} ({has})"
        faults.append(
            Fault(source, "", problem, expected.replace(" it ", " them ") if missing[1:] else expected)
        )
    if form is RUN and missing == ["score"] and recognised(names, GRADE[:1]):
        faults.append(Fault(source, "", "looks like judgements", "they are passed as `qrels`, the run first"))
    twice = [name for name in chosen if chosen.count(name) > 1]
    if twice and not faults:
        problem = f"column {twice[0]} was named for two roles"
        faults.append(Fault(f"`{form.parameter}`", "", problem, "expected one column per role"))
    if faults:
        raise InputError(faults)
    return chosen


def fits(names: Sequence[str], form: Form, named: Mapping[str, str]) -> bool:
    """Return whether there is a column for the query, the item and the number."""
    return all(
        _named(names, named[role]) if role in named else recognised(names, known)
        for role, known in form.roles.items()
    )


def _named(names: Sequence[str], wanted: str) -> list[str]:
    """Return the column of exactly this name; a number counts columns from 1."""
    if wanted in names:
        return [wanted]
    if wanted.isascii() and wanted.isdecimal() and 1 <= int(wanted[:9]) <= len(names):
        return [names[int(wanted[:9]) - 1]]
    return []


def recognised(names: Sequence[str], known: Names) -> list[str]:
    """Return the columns whose names fit best; several where they fit equally well."""
    for group in known:
        found = [name for name in names if plain_name(name) in group]
        if {plain_name(name) for name in found} == INTERNAL:
            found = [name for name in found if plain_name(name) == "docno"]
        if found:
            return found
    return []


def plain_name(name: str) -> str:
    """Return a name in small letters, its words joined by underscores.

    >>> plain_name("Query-ID")
    'query_id'
    """
    return re.sub(r"[\s._-]+", "_", name.strip().lower())


def has_header(row: Sequence[str], form: Form, named: Mapping[str, str]) -> bool:
    """Return whether the first row of a text table names its columns.

    It does unless there is a number where the table of that many columns has its numbers.
    """
    place = form.places[len(row)][2] if len(row) in form.places else None
    given = named.get(form.number, "")
    if given.isascii() and given.isdecimal() and 1 <= int(given[:9]) <= len(row):
        place = int(given[:9]) - 1
    return place is None or not is_number(row[place])


def is_number(text: str) -> bool:
    """Return whether a field is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def placed_columns(names: Sequence[str], form: Form, named: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of a file without a header, by role; those that the caller names come first."""
    if len(names) not in form.places:
        return dict(named)
    places = form.places[len(names)]
    return {role: names[place] for role, place in zip(form.roles, places, strict=True)} | dict(named)


KNOWN = frozenset(
    (
        *("post_id", "criterion_id", "sent_uid", "position", "text", "name", "grade", "fold", "score"),
        *("prob", "selected_k", "state", "tau_neg", "tau_pos", "query_id", "q_id", "doc_id", "split"),
        *("role", "label", "in_training"),
    )
)
"""Names that a message may always repeat."""
MOST = 12
LONGEST = 40


def column_list(names: Iterable[Any], *, header: bool) -> str:
    """Return `columns: a, b, c` for a message.

    In a text file without a header the first row could be a sentence: where a field of it looks like
    data, only known names are repeated.
    """
    texts = [str(name) or "(no name)" for name in names]
    if header and any(_is_data(name) for name in texts):
        safe = [name for name in texts if name in KNOWN]
        rest = len(texts) - len(safe)
        others = f"{rest} other{'s' * (rest != 1)}: row 1 does not look like a header"
        return f"columns: {', '.join([*safe, others])}"
    more = [f"and {len(texts) - MOST} more"] if len(texts) > MOST else []
    return f"columns: {', '.join([*texts[:MOST], *more])}"


def _is_data(name: str) -> bool:
    return len(name) > LONGEST or is_number(name) or name[-1] in ".!?" or name.count(" ") > 3
