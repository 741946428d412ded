"""No measure is forgotten: each family of the grammar has a value that was computed by hand."""

import importlib
from pathlib import Path

from assay_oracle import parse
from assay_oracle.grammar import FORMS


def hand_computed() -> set[str]:
    """The families in every table of tests that sets an expected value beside a definition."""
    families: set[str] = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        module = importlib.import_module(f".{path.stem}", __package__)
        for name, test in vars(module).items():
            for mark in getattr(test, "pytestmark", []) if name.startswith("test_") else []:
                if mark.name == "parametrize" and {"definition", "expected"} <= set(mark.args[0]):
                    column = mark.args[0].index("definition")
                    families |= {parse(row[column]).name for row in mark.args[1]}
    return families


def test_every_family_has_a_hand_computed_value() -> None:
    assert FORMS.keys() - hand_computed() == set()
