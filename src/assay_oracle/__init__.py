"""The second opinion: every measure once more, in exact arithmetic and the standard library only.

It shares no code with `assay`; where the two agree, a figure has been computed twice.
"""

from assay_oracle.definition import Definition, parse
from assay_oracle.evaluation import evaluate, evaluate_groups
from assay_oracle.outcome import Outcome
from assay_oracle.rows import Query

__all__ = ["Definition", "Outcome", "Query", "evaluate", "evaluate_groups", "parse"]
