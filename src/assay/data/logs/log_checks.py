"""Checks that no single record of a log shows: repeated ids, folds of a post, scores that are distances."""

from __future__ import annotations

from collections import Counter

from assay.data.logs.log_records import LogReading
from assay.errors import Fault, shown


def check_questions(reading: LogReading) -> None:
    """Add the faults that concern several records."""
    questions = reading.questions
    if not questions and not reading.faults:
        expected = "expected ids of the relevant chunks, an empty list where there are none"
        problem = f"no record has a value for gold ({reading.fields['gold']})"
        reading.faults.append(Fault(reading.source, "", problem, expected))
    made = Counter[str]()
    first: dict[str, str] = {}
    for at, each in enumerate(questions):
        made[each.id] += 1
        if made[each.id] == 1:
            first[each.id] = each.place
        elif each.own_id:
            problem = f"id {shown(each.id)} is that of {first[each.id]} too"
            reading.faults.append(Fault(reading.source, each.place, problem, "expected each id once"))
        else:  # the same question again
            questions[at] = each.numbered(made[each.id])
    _check_folds(reading)
    for role, empty in (("retrieved", "chunk was retrieved"), ("gold", "question has gold")):
        if questions and not any(getattr(each, role) for each in questions):
            problem = f"no {empty}"
            reading.faults.append(
                Fault(reading.source, "", problem, f"expected some in {reading.fields[role]}")
            )
    lists = [[each.number for each in one.retrieved] for one in questions]
    varied = [each for each in lists if None not in each and len(set(each)) > 1]
    if len(varied) >= 3 and all(each == sorted(each, key=float) for each in varied):  # type: ignore[arg-type]
        problem = "scores rise along every retrieved list, as distances do"
        how = "higher scores rank first; to rank by the order of the lists, use `map='scores='`"
        reading.faults.append(Fault(reading.source, "", problem, how))


def _check_folds(reading: LogReading) -> None:
    if "fold" not in reading.fields:
        return
    folds: dict[str, str] = {}
    for each in reading.questions:
        if each.fold is None:
            reading.faults.append(
                Fault(reading.source, each.place, "has no fold", "expected one per question")
            )
        elif folds.setdefault(each.post_id, each.fold) != each.fold:
            problem = f"group {shown(each.post_id)} is in fold {shown(folds[each.post_id])} too"
            reading.faults.append(Fault(reading.source, each.place, problem, "a group has one fold"))
