"""What a stage declares about itself, and what can be wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Any

from assay.errors import shown

RESERVED = ("corpus", "contract", "stages", "protocol", "profile", "ablation", "tune")
"""Top-level keys of a configuration; every other one is the settings table of a stage."""
WHOLE = ("k", "selected_k", "state", "candidate")
"""Columns whose values cannot be averaged."""
NAME = re.compile("[A-Za-z_][A-Za-z0-9_-]*")


class Learns(Enum):
    """What a stage is fitted on, and therefore what its `fit` gets.

    `NOTHING`: there is no `fit`. `TEXTS`: an `Unlabelled` view of TRAIN. `TRAIN`: a `Labelled` view
    of TRAIN; the output on TRAIN itself is cross-fitted. `TUNE`: a `Labelled` view of TUNE, only for
    calibration and thresholds.

    Examples
    --------
    >>> assay.Learns.TRAIN.value
    'TRAIN'

    """

    NOTHING = "nothing"
    TEXTS = "the texts of TRAIN"
    TRAIN = "TRAIN"
    TUNE = "TUNE"


def name_problems(kind: type[Any]) -> Iterator[str]:
    """Yield what is wrong with the name of a stage class."""
    name = getattr(kind, "name", None)
    if name is None:
        yield 'has no name; add a class attribute such as name = "my_stage"'
    elif not isinstance(name, str) or not NAME.fullmatch(name):
        yield f"name is {shown(name)}; expected letters, digits, _ and -"
    elif name in RESERVED:
        yield f"name is {shown(name)}, which is a key of every configuration; choose another"


def declaration_problems(stage: Any) -> Iterator[str]:
    """Yield what is wrong with the columns and the learning that a stage declares."""
    for key in ("needs", "gives"):
        value = getattr(stage, key)
        if not _columns(value):
            yield f'{key} is {shown(value)}; expected a tuple of column names such as ("score",)'
    if stage.gives == ():
        yield "gives no column; name at least one in gives"
    if _columns(stage.gives) and "gold" in stage.gives:
        yield "gives column 'gold'; choose another name"
    ranks = stage.ranks
    if ranks is not None and (not isinstance(ranks, str) or ranks not in stage.gives):
        yield f"ranks is {shown(ranks)}; expected one of the columns in gives"
    if not isinstance(stage.learns, Learns):
        yield f"learns is {shown(stage.learns)}; expected a member of Learns, such as Learns.TRAIN"
    averaged = [name for name in WHOLE if stage.learns is Learns.TRAIN and name in stage.gives]
    if averaged:
        yield (
            f"gives column {averaged[0]!r} and learns on TRAIN, where columns are averaged over "
            "cross-fitting; give a score, and decide in a later stage"
        )


def _columns(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(each, str) and each.isidentifier() for each in value)
