"""The definitions that a printed name could mean: contracts, populations, conventions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

from assay.contracts.contract import PLACE, Contract
from assay.contracts.contract_toml import SHIPPED, contract
from assay.errors import MeasureError
from assay.metrics.core.family import Family
from assay.metrics.core.names.parameter import Parameter
from assay.metrics.core.registry import FAMILIES, metric
from assay.verification.lint.names.known_measures import VARIANTS
from assay.verification.lint.names.measure_names import ALL, Name

RELATED = {
    "auroc": ("auroc", "score_auroc", "pair_auroc"),
    "auprc": ("auprc", "score_auprc", "pair_auprc"),
    "sensitivity": ("sensitivity", "evidence_recall", "recall"),
    "bare_recall": ("recall", "sensitivity", "evidence_recall"),
    "ppv": ("ppv", "evidence_precision", "precision"),
    "bare_precision": ("precision", "ppv", "evidence_precision"),
    "evidence_recall": ("evidence_recall", "recall"),
    "f1": ("f1", "micro_f1", "macro_f1_posts", "macro_f1_criteria"),
    "recall": ("recall", "hit"),
    "hit": ("hit", "recall"),
}
"""Measures that share a name in publications; others are themselves only."""
DECISIONS = ("0.5", "returned", "not_neg", "pos")
BINS = ("10", "15", "20")
MOST = 400
"""Definitions per name: more would be a coincidence more often than an explanation."""


def possible_definitions(name: Name, chosen: Contract) -> list[str]:
    """Return definition ids in the order in which they are likely: the chosen contract's first."""
    name = _spelled_out(name)
    families = _families(name)
    found: dict[str, None] = {}
    for each, family in product((chosen, *map(contract, SHIPPED)), families):
        for public, definition in _spelled(each, name):
            if _family(definition) == family and _fits(definition, name):
                own = "/" in public and public.partition("/")[0] == name.group
                if not name.group or own:
                    found.setdefault(definition)
    for family in families:
        for definition in _variants(FAMILIES[family], name):
            found.setdefault(definition)
    return list(found)[:MOST]


def _spelled_out(name: Name) -> Name:
    """Return a name whose group is what a definition id says of population and decision."""
    if "=" not in name.group:
        return name
    more = dict(part.split("=", 1) for part in name.group.split(",") if "=" in part)
    return replace(name, group="", params={**name.params, **more})


def _families(name: Name) -> list[str]:
    keys = RELATED.get(name.key, (name.key,))
    made = []
    for key in keys:
        base = next(
            (one for one, (_, form, _) in VARIANTS.items() if _matches(form, key) and one in FAMILIES), key
        )
        made.append(base)
    return [each for each in dict.fromkeys(made) if each in FAMILIES]


def _matches(form: str, key: str) -> bool:
    before, _, after = form.partition("{}")
    return key.startswith(before) and key.endswith(after) and key not in FAMILIES


def _family(definition: str) -> str:
    return definition.partition(":")[0].partition("@")[0]


def _cut(name: Name) -> str | None:
    if name.cut is None:
        return None
    if name.cut == ALL:
        return "all"
    return str(int(name.cut)) if name.cut.denominator == 1 else f"{float(name.cut):.2f}"


def _spelled(each: Contract, name: Name) -> Iterator[tuple[str, str]]:
    """Yield the public names of a contract with their definition ids, patterns at the cut of the name."""
    cut = _cut(name) or "all"
    for public, definition in sorted(each.measures.items(), key=lambda one: PLACE in one[0]):
        try:
            yield public, metric(definition.replace(PLACE, cut)).id
        except MeasureError:  # a pattern of whole numbers at a recall level
            continue


def _fits(definition: str, name: Name) -> bool:
    """Return whether a definition has the cut-off and the variant of a name."""
    head, _, spelled = definition.partition(":")
    cut = head.partition("@")[2]
    wanted = _cut(name)
    if wanted is None:
        right = cut in ("", "all")
    elif "." in wanted or "." in cut:
        right = bool(cut) and cut != "all" and Fraction(cut) == name.cut
    else:
        right = cut == wanted
    family = _family(definition)
    if family in VARIANTS:
        parameter, form, _ = VARIANTS[family]
        values = dict(part.split("=", 1) for part in spelled.split(","))
        right = right and form.format(values[parameter]) == name.key
    return right


def _variants(family: Family, name: Name) -> Iterator[str]:
    """Yield a family at the cut of the name with every combination of its listed parameters."""
    cut = _cut(name)
    if family.cut == "none" and cut is not None:
        return
    if cut is None and family.cut == "required":
        cut = "all"
    parameters = [each for each in family.parameters if each not in family.changes]
    spelled = [_values(each, name) for each in parameters]
    head = family.name if cut is None else f"{family.name}@{cut}"
    for values in product(*spelled):
        pairs = zip(parameters, values, strict=True)
        text = f"{head}:{','.join(f'{each.name}={value}' for each, value in pairs)}"
        try:
            definition = metric(text).id
        except MeasureError:
            continue
        if family.name not in VARIANTS or _fits(definition, name):
            yield definition


def _values(parameter: Parameter, name: Name) -> tuple[str, ...]:
    """Return the values to try, the default first; a printed parameter has one."""
    if parameter.name in name.params:
        return (name.params[parameter.name],)
    if parameter.values is not None:
        return tuple(dict.fromkeys((parameter.default, *parameter.values)))
    if parameter.number == "decision":
        return tuple(dict.fromkeys((parameter.default, *DECISIONS)))
    return BINS if parameter.name == "bins" else (parameter.default,)
