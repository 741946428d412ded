"""The second implementation: every measure again, in exact arithmetic and plain Python.

It imports only the standard library and shares no code with `assay`, so a number on which the two
agree was computed twice, independently.
"""

from assay_oracle.core.definition import Definition
from assay_oracle.core.grammar import parse
from assay_oracle.core.outcome import Outcome
from assay_oracle.core.rows import Query
from assay_oracle.evaluation import evaluate, evaluate_groups

__all__ = ["Definition", "Outcome", "Query", "evaluate", "evaluate_groups", "parse"]
