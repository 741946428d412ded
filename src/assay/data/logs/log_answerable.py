"""Gold that a log leaves out, where another field states whether the question has an answer."""

from __future__ import annotations

from collections.abc import Sequence

from assay.data.logs.log_chunks import Chunk
from assay.data.logs.log_fields import IMPOSSIBLE, decision, field_of, squeezed
from assay.data.logs.log_records import LogReading, Records
from assay.errors import shown

ANSWERABLE = "answerable"


def empty_unanswerable(
    reading: LogReading, records: Records, gold: list[list[Chunk] | None], *, named: bool
) -> None:
    """Empty the missing gold of questions that a field such as `is_impossible` calls unanswerable.

    A field that contradicts gold is a fault where the caller named it. Otherwise it may be what the
    system said, and is not used.
    """
    said = _answerable(reading, records)
    wrong = [
        at
        for at, (chunks, can) in enumerate(zip(gold, said, strict=True))
        if chunks is not None and can is not None and can != bool(chunks)
    ]
    name = reading.fields[ANSWERABLE]
    if wrong and not named:
        reading.fields = {role: field for role, field in reading.fields.items() if role != ANSWERABLE}
        reading.contradicted = f"{name} is not used: it contradicts gold at {records.rows[wrong[0]].place}"
        return
    for at in wrong:
        row = records.rows[at]
        value = shown(str(field_of(row.fields, name)))
        has = "has no gold" if said[at] else "has gold"
        reading.wrong(row, f"{name} is {value}, and it {has}", "expected both to agree; null: not judged")
    for at, can in enumerate(said):
        if gold[at] is None and can is False:
            gold[at] = []
            reading.counts["unanswerable"] += 1


def _answerable(reading: LogReading, records: Records) -> Sequence[bool | None]:
    """Return whether each question can be answered; None where the field does not say."""
    name = reading.fields[ANSWERABLE]
    negated = squeezed(name.rsplit(".", 1)[-1]) in IMPOSSIBLE
    found = [decision(field_of(row.fields, name)) for row in records.rows]
    return [each if each is None else each != negated for each in found]
