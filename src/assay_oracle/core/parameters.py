"""Values that a cut or a parameter of a definition id may take."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Value:
    """The permitted values, as a pattern and as a description for error messages."""

    expected: str
    pattern: re.Pattern[str]

    def accepts(self, text: str) -> bool:
        """Return whether the whole of `text` is such a value."""
        return self.pattern.fullmatch(text) is not None


def choice(*values: str) -> Value:
    """Return the kind of parameter that takes one of these words."""
    return Value(" or ".join(values), re.compile("|".join(values)))


CUT = Value("a positive integer or all", re.compile(r"[1-9][0-9]*|all"))
LEVEL = Value("a positive integer", re.compile(r"[1-9][0-9]*"))
POSITIVE = Value("a positive decimal", re.compile(r"(?=[0-9.]*[1-9])(0|[1-9][0-9]*)(\.[0-9]+)?"))
WEIGHT = Value("a non-negative decimal", re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?"))
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
GOLD = choice("all", "retrieved")
K_OR_K_EFF = choice("k", "k_eff")

# Whole parameters, to be unpacked into the row of a measure.
REL = {"rel": LEVEL}
AT = {"at": DECISION}
BINS = {"bins": LEVEL}
ON = {"on": choice("evidence", "all", "predicted", "returned")}
