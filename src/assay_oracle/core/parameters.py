"""Values that a cut or a parameter of a definition id may take."""

import re
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Value:
    """The permitted values, as a pattern and as a description for error messages."""

    expected: str
    pattern: re.Pattern[str]
    default: str | None = None  # an id spells the parameter only if it has another value

    def accepts(self, text: str) -> bool:
        """Return whether the whole of `text` is such a value."""
        return self.pattern.fullmatch(text) is not None


def choice(*values: str) -> Value:
    """Return the kind of parameter that takes one of these words."""
    return Value(" or ".join(values), re.compile("|".join(values)))


def later(default: str, *others: str) -> Value:
    """Return a choice that an id leaves out at its default."""
    return replace(choice(default, *others), default=default)


CUT = Value("a positive integer or all", re.compile(r"[1-9][0-9]*|all"))
LEVEL = Value("a positive integer", re.compile(r"[1-9][0-9]*"))
POSITIVE = Value("a positive decimal", re.compile(r"(?=[0-9.]*[1-9])(0|[1-9][0-9]*)(\.[0-9]+)?"))
WEIGHT = Value("a non-negative decimal", re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?"))
REAL = Value("a decimal, negative or not", re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?"))
SHARE = Value("a decimal between 0 and 1, both excluded", re.compile(r"0\.(?=[0-9]*[1-9])[0-9]+"))
CLIP = Value("a decimal between 0 and 0.5, both excluded", re.compile(r"0\.(?=[0-9]*[1-9])[0-4][0-9]*"))
UNIT = Value("a decimal from 0 to 1", re.compile(r"0(\.[0-9]+)?|1(\.0+)?"))
RULE = Value(
    "f1 or one of fpr_X, sensitivity_X, precision_X and conformal_X with a decimal X between 0 and "
    "1, both excluded",
    re.compile(r"f1|(fpr|sensitivity|precision|conformal)_0?\.(?=[0-9]*[1-9])[0-9]+"),
)
DECISION = Value(
    f"{UNIT.expected} or tune or not_neg or pos or returned or tune_RULE, RULE {RULE.expected}",
    re.compile(f"{UNIT.pattern.pattern}|tune|not_neg|pos|returned|tune_({RULE.pattern.pattern})"),
)
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
GAINS = Value(
    "none or 0:0/1:1/2:3",
    re.compile(rf"none|(?!(.*/)?0(\.0+)?:0*\.?0*[1-9]){_NUMBER}:{_NUMBER}(?:/{_NUMBER}:{_NUMBER})*"),
    "none",
)
GMAX = replace(LEVEL, default="1")
GOLD = choice("all", "retrieved")
K_OR_K_EFF = choice("k", "k_eff")

# Whole parameters, to be unpacked into the row of a measure.
REL = {"rel": LEVEL}
AT = {"at": DECISION}
BINS = {"bins": LEVEL}
JUDGED_ONLY = {"judged_only": later("no", "yes")}
CHANGES = {"ranking": JUDGED_ONLY, "graded": {**JUDGED_ONLY, "gains": GAINS}, "retrieved": JUDGED_ONLY}
"""What the measures of a group may change about the rankings that they see."""
ON = {"on": choice("evidence", "no_evidence", "all", "predicted", "returned")}
