"""Names of the steps that tasks do."""

from __future__ import annotations

RANK = "rank"  # lists of the queries that a task sees
ROWS = "rows"  # rows to be brought together by query
BUCKET = "bucket"  # lists of rows that were
CANDIDATES = "candidates"  # rows as packed values, in input order
ORDERED = "ordered"  # rows with the place of their query, to be sorted
PACK = "pack"  # sorted rows as packed values
PIECES = "pieces"  # independent work, such as a fold of a pipeline
