"""Several measures in one text, separated by commas, as `-m` has them."""

from __future__ import annotations

import re

from assay.errors import InputError, shown

PARAMETER = re.compile(r"\s*[A-Za-z_]\w*\s*=")
"""What continues a definition id after a comma: no name of a measure has an equals sign."""
VALUE = re.compile(r"-?[0-9.]+(=[0-9.]+)?")
"""What follows a comma in trec_eval's P.7,9 and ndcg.1=3,2=9."""


def measure_names(text: str) -> list[str]:
    """Return the measures of a text that may list several.

    >>> measure_names("ndcg@10:gain=exponential,on=evidence,map@10")
    ['ndcg@10:gain=exponential,on=evidence', 'map@10']
    >>> measure_names("AP(rel=2,judged_only=True)@5, P@5")
    ['AP(rel=2,judged_only=True)@5', 'P@5']
    >>> measure_names("P.7,9,ndcg.1=3,2=9,map")
    ['P.7,9', 'ndcg.1=3,2=9', 'map']
    """
    names: list[str] = []
    for piece in text.split(","):
        inside = bool(names) and names[-1].count("(") > names[-1].count(")")
        if names and (inside or (":" in names[-1] and PARAMETER.match(piece)) or VALUE.fullmatch(piece)):
            names[-1] += f",{piece}"
        else:
            names.append(piece)
    names = [name.strip() for name in names]
    if not all(names):
        raise InputError.of(
            "`measures`", f"is {shown(text)}", "expected names of measures, separated by commas"
        )
    return names
