"""The meaning of a header or row label: a measure, and its data set, split or model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.verification.lint.names.known_measures import AVERAGES, KINDS
from assay.verification.lint.names.measure_names import (
    ALL,
    LONGEST,
    Name,
    family,
    read_name,
    squeezed,
    unmarked,
)
from assay.verification.lint.tables.column_roles import role


@dataclass(frozen=True, slots=True)
class Label:
    """A measure, and what else its text names; an empty population means that of the table."""

    name: Name
    population: str = ""


_BRACKETS = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]")
_BOUNDARY = re.compile(r"[\s/:|·,_–—-]+")
_FORMAT = re.compile(
    r"^(?:%|percent|9[059]\s*%?\s*(?:ci|confidence interval)|ci|mean|avg\.?|average|std|sd|"
    r"(?:mean|avg\.?)?\s*(?:±|\+/-)\s*(?:std|sd|se|ci)?\.?|roc|"
    r"(?:the\s+)?(?:higher|lower|larger|smaller)(?: is)? (?:the )?better|"
    r"\d+[ -]fold(?: (?:cv|cross[ -]validation))?|cv)$",
    re.IGNORECASE,
)
_CUTOFF = re.compile(r"^(?:@|k\s*=|@\s*k\s*=|top[ -]|at )?\s*(\d{1,8}k?|all)$", re.IGNORECASE)
_LEADING = re.compile(r"^(?:on|for|in|of|at)\s+", re.IGNORECASE)

# Next to a data set's name, the name of a measure must be unambiguous.
_SPECIFIC = frozenset(
    (
        *("ndcg", "mrr", "map", "hit", "rprec", "bpref", "auroc", "auprc", "accuracy", "mcc", "f1"),
        *("balanced_accuracy", "sensitivity", "specificity", "ppv", "npv", "kappa", "fpr", "fnr"),
        *("fbeta",),
        *("bare_recall", "bare_precision", "macro_f1", "weighted_f1", "brier"),
        *("exact_match", "hamming_score", "hamming_loss", "ece", "evidence_recall", "evidence_precision"),
    )
)
_VAGUE = frozenset(("hit", "hits", "success", "hr", "rr", "ap", "phi", "rec", "spec"))
# Words that change the meaning of a measure: its change, spread, cost or limit.
_OTHER = frozenset(
    (
        *("delta", "δ", "∆", "gain", "gains", "drop", "loss", "decrease", "increase", "diff"),
        *("difference", "improvement", "impr", "change", "lift", "relative", "rel", "std", "sd"),
        *("var", "variance", "se", "sem", "rank", "ranking", "time", "error", "errors", "ratio"),
        *("target", "goal", "threshold", "p", "value", "weight", "cost", "per", "log", "number"),
        *("num", "no", "#", "count", "minus", "reduction", "rate", "gap", "shift", "x", "1"),
    )
)
_SAME = ({"bare_recall", "sensitivity"}, {"bare_precision", "ppv"}, {"hit", "accuracy"})
# Headings that group measures: everything below them is still one population.
_KINDS_OF_MEASURES = frozenset(
    (
        *("ranking", "retrieval", "classification", "detection", "calibration", "evidence"),
        *("metric", "metrics", "measure", "measures", "performance", "quality", "main", "results"),
        *("primary", "secondary", "other", "additional", "selection", "screening", "gate"),
        *("threshold", "free", "based", "and", "level", "rank", "set", "rates", "counts"),
    )
)


def read_label(text: str) -> Label | None:
    """Read a measure and its population: `NQ R@20`, `MRR@10 (MS MARCO Dev)`, `nDCG@10 on NQ`.

    None if no measure is named, or if other words change its meaning.
    """
    if len(text) > 2 * LONGEST:
        return None
    bare, percent = unmarked(text)
    whole = read_name(bare)
    if whole is not None:
        return Label(replace(whole, percent=percent))
    inner = [part.strip() for part in _BRACKETS.findall(bare)]
    found = _split(" ".join(_BRACKETS.sub(" ", bare).split()))
    if found is None:
        return None
    name, rest = found
    populations = [rest]
    for part in inner:
        read = _inside(part, name)
        if read is None:
            return None
        name, population = read
        populations.append(population)
    return Label(replace(name, percent=percent), joined(populations))


def joined(parts: Sequence[str]) -> str:
    """Return the meaningful parts of a population, without repetition."""
    return ", ".join(dict.fromkeys(part for part in parts if part))


def _split(text: str) -> tuple[Name, str] | None:
    """Read a measure alone, after a data set, or before one."""
    whole = read_name(text)
    if whole is not None:
        return whole, ""
    for left, right in _cuts(text):
        found = _specific(right)
        if found is not None:
            return (found, left) if _names_data(left) else None
    for left, right in reversed(list(_cuts(text))):
        found = _specific(left)
        if found is not None:
            rest = _LEADING.sub("", right)
            return (found, rest) if _names_data(rest) else None
    return None


def _cuts(text: str) -> Iterator[tuple[str, str]]:
    for boundary in _BOUNDARY.finditer(text):
        left, right = text[: boundary.start()], text[boundary.end() :]
        if left and right:
            yield left, right


def _specific(text: str) -> Name | None:
    found = read_name(text)
    if found is None or found.cut is not None:
        return found
    return found if found.key in _SPECIFIC and squeezed(text) not in _VAGUE else None


def _names_data(text: str) -> bool:
    """Return whether the words next to a measure may be a data set, a split or a model."""
    words = [word for word in re.split(r"[\s_/-]+", text.casefold()) if word]
    return not any(word.strip(".,:") in _OTHER for word in words) and role(text) == ""


def _inside(text: str, name: Name) -> tuple[Name, str] | None:
    """Return the measure with its brackets applied, and a population; None if they change it."""
    if not text or _FORMAT.match(text):
        return name, ""
    word = re.sub(r"[ -]?(?:avg\.?|average|averaged)$", "", text.casefold())
    average = word if word in AVERAGES else None
    if average is not None:
        return replace(name, group=name.group or average), ""
    cut = with_cut(name, text)
    if cut is not None:
        return cut, ""
    other = read_name(text)
    if other is not None:
        same = other.key == name.key or {other.key, name.key} in _SAME
        return (name, "") if same else (name, text)
    return (name, text) if _names_data(text) else None


def with_cut(name: Name, text: str) -> Name | None:
    """Return the measure at the cut-off in a text such as `@5`, `k=5` or `5`."""
    found = _CUTOFF.match(text.strip())
    if found is None or name.cut is not None:
        return None
    key = family(name.key.removeprefix("bare_").replace("_", " "), ranked=True)
    key = name.key if KINDS[name.key].ranked else key
    if key is None:
        return None
    place = found[1].lower()
    if place == "all":
        return replace(name, key=key, cut=ALL)
    made = read_name(f"ndcg@{place}")
    return None if made is None else replace(name, key=key, cut=made.cut)


def is_cutoff(text: str) -> bool:
    """Return whether a header is only a cut-off: `@5`, `k = 5`, `5`."""
    return _CUTOFF.match(unmarked(text)[0]) is not None


def average_of(text: str) -> str:
    """Return macro, micro, weighted or samples if a text names such an average."""
    bare = unmarked(text)[0].casefold().replace("-", " ").replace("_", " ")
    if bare in ("avg / total", "avg/total"):
        return "weighted"  # scikit-learn before 0.20
    words = [word for word in bare.split() if word not in ("avg", "avg.", "average", "averaged")]
    return words[0] if len(words) == 1 and words[0] in AVERAGES else ""


def is_kind(text: str) -> bool:
    """Return whether a heading only groups measures, such as `Ranking metrics` or `nDCG`."""
    if read_name(text) is not None:
        return True
    words = [word for word in re.split(r"[^a-z]+", text.casefold()) if word]
    return bool(words) and all(word in _KINDS_OF_MEASURES for word in words)


def read_path(path: Sequence[str]) -> Label | None:
    """Return the measure of a column whose header has several levels, from the top down."""
    levels = [level for level in path if level]
    if len(levels) == 1:
        return read_label(levels[0])
    levels = _short_above_cut(levels)
    found = [(at, label) for at, text in enumerate(levels) if (label := read_label(text))]
    if not found:
        return None
    # Of several levels with a measure, the one with a cut-off is most specific; else the lowest.
    at, label = max(found, key=lambda each: (each[1].name.cut is not None, each[0]))
    name, populations = label.name, []
    for place, text in enumerate(levels):
        if place == at:
            populations.append(label.population)
            continue
        average, cut = average_of(text), with_cut(name, unmarked(text)[0])
        other = read_label(text)
        if average:
            name = replace(name, group=name.group or average)
        elif cut is not None:
            name = cut
        elif other is not None:
            populations.append(other.population)
            name = replace(name, percent=name.percent or other.name.percent)
            if not _same_family(other.name, name):
                populations.append(unmarked(text)[0])
        elif not _FORMAT.match(text) and not is_kind(text):
            populations.append(unmarked(text)[0])
    return Label(name, joined(populations))


def _short_above_cut(levels: list[str]) -> list[str]:
    """Join `P` above `@5` to `P@5`: alone, P and R are ambiguous."""
    bare = [unmarked(text)[0] for text in levels]
    for at, text in enumerate(bare):
        for below in range(at + 1, len(bare)):
            cut = _CUTOFF.match(bare[below])
            if text in ("P", "R") and cut is not None:
                kept = [each for place, each in enumerate(levels) if place not in (at, below)]
                return [*kept, f"{text}@{cut[1]}"]
    return levels


def _same_family(a: Name, b: Name) -> bool:
    """Return whether two levels name the same measure, such as `Recall` above `R@5`."""
    keys = {a.key.removeprefix("bare_"), b.key.removeprefix("bare_")}
    return len(keys) == 1 or {a.key, b.key} in _SAME


def in_caption(text: str) -> Name | None:
    """Return the one measure that a caption or heading names; None if it names none or several."""
    bare = unmarked(text)[0]
    words = re.findall(r"[^\s,;:()\[\]]+", bare)
    found: dict[tuple[str, object], Name] = {}
    covered = -1
    for start in range(len(words)):
        for end in range(min(len(words), start + 4), start, -1):
            if end - 1 <= covered:
                break
            name = _specific(" ".join(words[start:end]).strip("."))
            if name is not None and not name.context:
                found[name.key, name.cut] = name
                covered = end - 1
                break
    return next(iter(found.values())) if len(found) == 1 else None
