"""Read the names of other tools: `nDCG(dcg='exp-log2')@10`, `ndcg_cut.10`, `rbp.95`, `roc_auc`."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field

from assay.errors import MeasureError, shown
from assay.metrics.core.entry import Metric
from assay.metrics.core.family import Family
from assay.metrics.core.names.missing_measures import MISSING
from assay.metrics.core.names.spelling import POPULATIONS, Spelling

LONGEST = 200
CALL = re.compile(r"(?P<base>[\w-]+?)(?P<call>\(.*\))?(?:@(?P<cut>[\w.]+))?(?:-l(?P<level>[0-9]+))?")
TREC = re.compile(r"(?P<base>\w+?)(?P<sep>[._])(?P<number>[0-9]+(?:\.[0-9]+)?)(?:-l(?P<level>[0-9]+))?")
NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,9})?"
GAINS = re.compile(rf"ndcg\.([0-9]{{1,4}}={NUMBER}(?:,[0-9]{{1,4}}={NUMBER})*)")
UTILITY = re.compile(rf"utility\.(-?{NUMBER}),(-?{NUMBER}),(-?{NUMBER}),(-?{NUMBER})")
CUT_KEYWORDS = ("cutoff", "recall")
DCG = {"log2": "linear", "exp-log2": "exponential"}


@dataclass(frozen=True, slots=True)
class Meaning:
    """A definition of one tool. What the name leaves to the tool's settings is open."""

    tool: str
    spelled: str  # the tool's name for it, without number
    family: Family
    cut: str | None
    params: Mapping[str, str]  # every parameter but the population
    open: frozenset[str]  # parameters that are a setting of the tool: the relevance level
    population: str  # the queries that the tool averages or counts

    def metric(self, population: str, settings: Mapping[str, str] | None = None) -> Metric:
        """Return the measure on a population, with other values of open parameters if given."""
        changed = {name: text for name, text in (settings or {}).items() if name in self.open}
        return self.family.bind(self.cut, {**self.params, **changed, "on": population})

    def is_spelled(self, text: str) -> bool:
        """Return whether a text is spelled as the tool does, in the same case."""
        return text.startswith(self.spelled)

    @property
    def theirs(self) -> Metric:
        """The measure exactly as the tool defines it."""
        return self.metric(self.population)


@dataclass(frozen=True, slots=True)
class _Form:
    """A name taken apart: `base(keywords)@number`, or `base_number`."""

    base: str
    place: str  # "@", "_", "." or nothing
    number: str | None = None
    keywords: Mapping[str, object] = field(default_factory=dict)


class ForeignNames:
    """An index of the spellings of all families."""

    def __init__(self, families: Mapping[str, Family]) -> None:
        self.families = families
        self.names: dict[str, list[tuple[str, str, Spelling, Family]]] = {}
        for family in families.values():
            for spelling in (Spelling(*each) for each in family.spellings):
                for base, place in spelling.patterns():
                    self.names.setdefault(base.lower(), []).append((base, place, spelling, family))

    def read(self, text: str) -> list[Meaning]:
        """Return what a name means in each tool that has it; nothing where no tool does.

        Case does not matter, unless tools differ in nothing else. A name that tools define
        differently, or that assay has no measure for, is refused with the reason.
        """
        found: list[Meaning] = []
        usage: list[str] = []
        for form in _forms(text):
            for base, place, spelling, family in self.names.get(form.base.lower(), ()):
                meaning = _bound(form, base, place, spelling, family)
                if meaning is None and (form.keywords or form.base not in self.families):
                    needs = f"({spelling.needs}=…)" if spelling.needs and spelling.needs[0] != "!" else ""
                    usage.append(f"{base}{needs}{place} ({spelling.tool})")
                elif meaning is not None:
                    found.append(meaning)
        if not any(each.is_spelled(text) for each in found):
            self._refuse_missing(text, exactly=bool(found))
        if usage and not found:
            raise MeasureError(f"{shown(text)} needs another form: {' or '.join(dict.fromkeys(usage))}")
        return self._agreed(text, found)

    def spelled(self) -> set[str]:
        """Return every name as its tool spells it, without cut-off, missing measures among them."""
        there = {base for rows in self.names.values() for base, *_ in rows}
        return there | {name for each in MISSING for name in each.names}

    def _agreed(self, text: str, found: list[Meaning]) -> list[Meaning]:
        """Return the meanings if they are one definition, else those spelled in exactly this case."""
        if _one(found):
            return found
        exact = [each for each in found if each.is_spelled(text)]
        if exact and _one(exact):
            return exact
        said = ", ".join(f"{each.theirs.id} in {each.tool}{self._or(text, each)}" for each in found)
        family = self.families.get(text)
        with_cut = f"; with a cut-off it is {text}@10" if family and family.cut == "required" else ""
        raise MeasureError(f"{shown(text)} is ambiguous: {said}; spell the definition you mean{with_cut}")

    def _or(self, text: str, meaning: Meaning) -> str:
        """Return another name of the same tool, which only it has."""
        other = f"{text.lower()}_score"
        same = (family is meaning.family for _, _, _, family in self.names.get(other, ()))
        return f" ({other})" if any(same) else ""

    def _refuse_missing(self, text: str, *, exactly: bool) -> None:
        """Raise where assay has no such measure, or not with these keywords."""
        for form in _forms(text):
            for each in MISSING:
                folded = not exactly and form.base not in self.families
                names = map(str.lower, each.names) if folded else each.names
                if (form.base.lower() if folded else form.base) in names:
                    cut = form.number if form.place == "@" and (form.number or "").isdecimal() else None
                    nearest = each.nearest if cut is None else re.sub("@[0-9]+", f"@{cut}", each.nearest)
                    raise MeasureError(
                        f"{shown(text)}: {each.what} ({each.tool}); assay does not have it. {nearest}"
                    )


def _forms(text: str) -> Iterator[_Form]:
    if len(text) > LONGEST:
        return
    call = CALL.fullmatch(text)
    if call is not None:
        keywords = _keywords(text, call["call"])
        if call["level"]:
            keywords["rel"] = int(call["level"])
        inside = [keywords.pop(name) for name in CUT_KEYWORDS if name in keywords]
        number = call["cut"] or (str(inside[0]) if inside else None)
        yield _Form(call["base"], "@" if number else "", number, keywords)
    yield from _with_values(text)
    trec = TREC.fullmatch(text)
    if trec is not None:
        yield _Form(
            trec["base"], trec["sep"], trec["number"], {"rel": int(trec["level"])} if trec["level"] else {}
        )


def _with_values(text: str) -> Iterator[_Form]:
    """Yield trec_eval's forms with values: gains as in ndcg.1=3,2=9, and utility.1,-1,0,0."""
    gains = GAINS.fullmatch(text)
    if gains is not None:
        pairs = [each.split("=") for each in gains[1].split(",")]
        yield _Form("ndcg", "", None, {"gains": {int(grade): float(gain) for grade, gain in pairs}})
    values = UTILITY.fullmatch(text)
    if values is not None:
        found, alarm, missed, rest = map(float, values.groups())
        if found >= 0 >= max(alarm, missed) and rest == 0:
            yield _Form("utility", "", None, {"found": found, "alarm": 0.0 - alarm, "missed": 0.0 - missed})


def _keywords(text: str, call: str | None) -> dict[str, object]:
    if call is None:
        return {}
    problem = MeasureError(f"{shown(text)}: expected keywords with plain values, such as AP(rel=2)@10")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd literals, which are refused below
            node = ast.parse(f"f{call}", mode="eval").body
        if (
            not isinstance(node, ast.Call)
            or node.args
            or len({k.arg for k in node.keywords}) < len(node.keywords)
        ):
            raise problem
        return {str(each.arg): ast.literal_eval(each.value) for each in node.keywords}
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise problem from None


def _bound(form: _Form, base: str, place: str, spelling: Spelling, family: Family) -> Meaning | None:
    """Return the meaning of a name under one spelling; None where it has another form."""
    forms = {"": ("",), "[@k]": ("", "@"), "@k": ("@",), "_k": ("_", "."), "_x": ("_", "."), ".p": (".",)}
    keywords = dict(form.keywords)
    if form.place not in forms[place] or not spelling.fits(keywords):
        return None
    params = spelling.parameters()
    population = params.pop("on", POPULATIONS[spelling.tool])
    for name, value in keywords.items():
        read = _parameter(name, value, family)
        if read is None:
            return None
        params |= read
    cut = _cut(form.number, family) if place not in (".p", "_x") else None
    if place == ".p":
        params["p"] = f"0.{form.number}"
    if place == "_x":
        params[family.parameters[0].name] = _two_decimals(str(form.number))
    open_ = {"rel"} - params.keys() if any(each.name == "rel" for each in family.parameters) else set()
    defaults = {each.name: each.default for each in family.parameters if each.name != "on"}
    params = {**defaults, **params}
    return Meaning(spelling.tool, base, family, cut, params, frozenset(open_), population)


def _parameter(name: str, value: object, family: Family) -> dict[str, str] | None:
    """Return a keyword of ir_measures as a parameter; None where the measure has no such thing."""
    known = {each.name for each in family.parameters} - {"on"}
    for read in (_switch, _text_or_table, _number):
        found = read(name, value, known)
        if found is not None:
            return found
    if name == "relative" and value is (family.name == "set_relative_precision"):
        return {}
    return None


def _switch(name: str, value: object, known: Container[str]) -> dict[str, str] | None:
    """Read a keyword that is True or False."""
    if name == "judged_only" and (value is False or (value is True and name in known)):
        return {"judged_only": "yes"} if value else {}
    if name == "normalize" and "normalized" in known and isinstance(value, bool):
        return {"normalized": "yes" if value else "no"}
    return None


def _text_or_table(name: str, value: object, known: Container[str]) -> dict[str, str] | None:
    if name == "dcg" and value in DCG:
        return {"gain": DCG[str(value)]} if "gain" in known else {} if value == "log2" else None
    if name == "gains" and name in known and isinstance(value, dict):
        return {"gains": "/".join(f"{grade:g}:{gain:g}" for grade, gain in sorted(value.items()))}
    return None


def _number(name: str, value: object, known: Container[str]) -> dict[str, str] | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if name == "beta" and name in known and value > 0:
        # trec_eval, which computes it for ir_measures, takes the square of beta.
        return {"beta": f"{value**0.5:g}" if value == 1 else repr(float(value) ** 0.5)}
    if name == "min_rel" and "gmax" in known and value == 0:
        return {}
    plain = {"T": "target", "max_rel": "gmax"}.get(name, name)
    if plain not in known or plain not in ("target", "gmax", "rel", "p", "found", "alarm", "missed"):
        return None
    return {plain: str(value) if plain in ("gmax", "rel", "p") else f"{value:g}"}


def _cut(number: str | None, family: Family) -> str | None:
    if number is None:
        return "all" if family.cut == "required" else None
    if family.cut == "point" and re.fullmatch(r"[01](\.[0-9]{1,2})?", number):
        return _two_decimals(number)
    return number.lower()


def _two_decimals(number: str) -> str:
    """Spell a number as trec_eval prints it, unless that would change it."""
    return f"{float(number):.2f}" if re.fullmatch(r"[0-9]+(\.[0-9]{1,2})?", number) else number


def _one(found: list[Meaning]) -> bool:
    return len({(each.family.name, each.cut, *sorted(each.params.items())) for each in found}) <= 1
