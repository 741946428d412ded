"""The option of the command line behind each parameter that a message of the library names."""

from __future__ import annotations

import re

PARAMETER = re.compile(r"`([a-z_]+)(?:=(True|'[^'`]*'))?`")
PARAMETERS = (
    "all_pairs allow allow_different alpha baseline by complete correction engine fold folds format gold "
    "group id ignore key label map memory overwrite prob processes qrels qrels_columns query ranked "
    "run_columns seeds selected_k split state strict system threshold tune tune_reused tune_share with_text "
    "task data na_prob na_prob_thresh scorer relevant non_relevant model consensus"
)
FLAGS = {name: "--" + name.replace("_", "-") for name in PARAMETERS.split()} | {"everything": "--all"}


def with_flags(message: str) -> str:
    """Return a message with options in place of parameters.

    >>> with_flags("choose a new folder, or `overwrite=True`; see `by` and `split='NAME'`")
    'choose a new folder, or --overwrite; see --by and --split NAME'
    """
    return PARAMETER.sub(_flag, message)


def _flag(found: re.Match[str]) -> str:
    name, value = found.groups()
    if name not in FLAGS:
        return found[0]
    return FLAGS[name] if value in (None, "True") else f"{FLAGS[name]} {value[1:-1]}"
