"""A drop-in replacement for `pytrec_eval`: `from assay.compat import pytrec_eval`.

Names, signatures and errors are pytrec_eval's, and so are the values per query. Only `relstring`, for
which pytrec_eval has no value, is not in `supported_measures` and raises the `ValueError` that an
unknown name raises. Where pytrec_eval divides by zero or reads memory that was never written, values differ:
`iprec_at_recall_0.00` and `11pt_avg` of an empty ranking are 0, not NaN, and documents retrieved for
a query whose judgements are all negative are counted.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from assay.array_types import Floats
from assay.compat.dict_scoring import JudgedQueries, per_query
from assay.metrics.core.registry import metric

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

CUTS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
TIMES = tuple(f"{at / 5:.1f}" for at in range(1, 11))
LEVELS = tuple(f"{at / 10:.1f}" for at in range(11))
SMALLEST = 0.00001
"""Geometric means replace smaller values by it."""
PLAIN = {
    "map": "map@all:denominator=R,rel={rel}",
    "Rprec": "rprec:rel={rel}",
    "bpref": "bpref:rel={rel}",
    "recip_rank": "mrr:rel={rel}",
    "11pt_avg": "iprec_avg:need=trec9,rel={rel}",
    "ndcg": "ndcg@all",
    "ndcg_rel": "ndcg_rel",
    "Rndcg": "rndcg:rel={rel}",
    "G": "normalised_gain",
    "binG": "binary_gain:rel={rel}",
    "infAP": "inf_ap:epsilon=0.00001,rel={rel}",
    "set_P": "set_precision:rel={rel}",
    "set_recall": "set_recall:rel={rel}",
    "num_ret": "num_ret",
    "num_rel": "num_rel:rel={rel}",
    "num_rel_ret": "num_rel_ret:rel={rel}",
    "num_nonrel_judged_ret": "num_nonrel_judged_ret:rel={rel}",
}
AT_CUT = {
    "P": ("precision@{k}:rel={rel}", CUTS),
    "recall": ("recall@{k}:rel={rel}", CUTS),
    "relative_P": ("precision@{k}:denominator=min_r_k,rel={rel}", CUTS),
    "map_cut": ("map@{k}:denominator=R,rel={rel}", CUTS),
    "ndcg_cut": ("ndcg@{k}", CUTS),
    "success": ("hit@{k}:rel={rel}", ("1", "5", "10")),
    "iprec_at_recall": ("iprec@{k}:need=trec9,rel={rel}", LEVELS),
    "Rprec_mult": ("rprec_mult:times={k},rel={rel}", TIMES),
}
SHARES = ("iprec_at_recall", "Rprec_mult")
"""Measures whose argument is not a number of documents."""
DERIVED = {
    "gm_map": ("map",),
    "gm_bpref": ("bpref",),
    "set_map": ("set_P", "set_recall"),
    "set_relative_P": ("num_ret", "num_rel", "num_rel_ret"),
    "set_F": ("num_ret", "num_rel", "num_rel_ret"),
    "utility": ("num_ret", "num_rel_ret"),
    "num_q": (),
    "runid": (),
}
"""Measures that are computed from those of others, which assay lists separately."""

supported_measures = {*PLAIN, *AT_CUT, *DERIVED}
_OFFICIAL = "P Rprec bpref gm_map iprec_at_recall map num_q num_rel num_rel_ret num_ret recip_rank runid"
_SET = "num_q num_rel num_rel_ret num_ret runid set_F set_P set_map set_recall set_relative_P utility"
supported_nicknames = {
    "official": set(_OFFICIAL.split()),
    "set": set(_SET.split()),
    "all_trec": set(supported_measures),
}


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return the scores of the lines of a TREC run, by query and document.

    >>> parse_run(["q1 Q0 d1 1 2.5 system"])["q1"]
    {'d1': 2.5}
    """
    run: dict[str, dict[str, float]] = defaultdict(dict)
    for line in f_run:
        query, _, item, _, score, _ = line.strip().split()
        assert item not in run[query], f"document {item} of query {query} is listed twice"
        run[query][item] = float(score)
    return run


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Return the grades of the lines of TREC qrels, by query and document."""
    qrel: dict[str, dict[str, int]] = defaultdict(dict)
    for line in f_qrel:
        query, _, item, grade = line.strip().split()
        assert item not in qrel[query], f"document {item} of query {query} is listed twice"
        qrel[query][item] = int(grade)
    return qrel


def compute_aggregated_measure(measure: str, values: list[float]) -> float:
    """Return the sum of `num_` measures, the geometric mean of `gm_` ones, the mean of all others."""
    if measure.startswith("num_"):
        return float(np.sum(values))
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(values) / len(values)))
    return float(np.mean(values))


class RelevanceEvaluator:
    """Evaluate runs against relevance judgements, as `pytrec_eval.RelevanceEvaluator` does.

    Parameters
    ----------
    query_relevance
        Grades by query and document: `{"q1": {"d1": 1, "d2": 0}}`.
    measures
        Names or nicknames of measures: `map`, `ndcg_cut`, `P_5`, `ndcg_cut.5,10`, `official`.
    relevance_level
        The lowest grade that counts as relevant.
    judged_docs_only_flag
        Remove documents without judgement from the run first.

    Examples
    --------
    >>> evaluator = RelevanceEvaluator({"q1": {"d1": 0, "d2": 1}}, {"map", "ndcg_cut_10"})
    >>> evaluator.evaluate({"q1": {"d1": 1.0, "d2": 0.5}})["q1"]["map"]
    0.5

    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        if isinstance(relevance_level, bool) or not isinstance(relevance_level, int):
            raise TypeError("Expected relevance_level to be an integer.")
        if relevance_level < 1:
            raise TypeError("Argument relevance_level should be positive.")
        wanted = _combined(_expanded(measures))
        for query, items in query_relevance.items():
            _check_grades(query, items)
        self._judged = JudgedQueries(query_relevance)
        self._judged_only = bool(judged_docs_only_flag)
        self._level = str(relevance_level)
        self._definitions, self._derived = _labelled(wanted)
        self._labels = [*self._definitions, *self._derived]
        for name, _ in self._derived.values():
            self._definitions |= {each: PLAIN[each] for each in DERIVED[name]}

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return the value of each measure for each query that is in the run and in the judgements."""
        if not scores:
            return {}
        if not isinstance(scores, Mapping):
            raise TypeError("Argument object scores should be of type dictionary.")
        for query, listed in scores.items():
            _check_scores(query, listed)
        place = self._judged.place
        columns = self._columns(scores)
        values = {label: columns[label].tolist() for label in self._labels}
        return {
            query: {label: column[place[query]] for label, column in values.items()}
            for query in scores
            if query in place
        }

    def _columns(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, Floats]:
        """Return the values of each measure for all judged queries, those it is derived from too."""
        size = len(self._judged.place)
        cases = self._judged.cases(scores, judged_only=self._judged_only)
        texts = {label: text.format(rel=self._level) for label, text in self._definitions.items()}
        if cases is None:  # nothing was retrieved, so that every measure but num_rel is 0
            found = {label: np.zeros(size) for label in texts} | {"num_rel": self._num_rel()}
        else:
            columns = per_query(cases, map(metric, texts.values()))
            found = {label: column.astype(np.float64) for label, column in zip(texts, columns, strict=True)}
        for label, (name, argument) in self._derived.items():
            found[label] = _derived(name, argument, found, size)
        return found

    def _num_rel(self) -> Floats:
        level = int(self._level)
        rows = self._judged.grades.values()
        return np.array([float(sum(grade >= level for grade in row.values())) for row in rows])


def _expanded(measures: Iterable[str]) -> set[str]:
    return {each for name in measures for each in supported_nicknames.get(name, (name,))}


def _combined(measures: Iterable[str]) -> dict[str, set[str]]:
    """Return the arguments of each measure: `P_5`, `P.5` and `P.5,10` have some, `P` has none."""
    found: dict[str, set[str]] = {}
    for text in measures:
        name, arguments = text, ""
        if text not in supported_measures:
            match = re.fullmatch(r"(.+?)[._]([0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*)", text)
            if match is None or match[1] not in {*AT_CUT, "set_F"}:
                raise ValueError(f"unsupported measure {text}")
            name, arguments = match[1], match[2]
        found.setdefault(name, set()).update(filter(None, arguments.split(",")))
    return found


def _labelled(wanted: Mapping[str, set[str]]) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
    """Return each label with its definition, and those that are derived with name and argument."""
    single: dict[str, str] = {}
    derived: dict[str, tuple[str, str]] = {}
    for name in filter(wanted.__contains__, (*PLAIN, *AT_CUT, *DERIVED)):  # not in the order of a set
        arguments = wanted[name]
        if name in PLAIN:
            single[name] = PLAIN[name]
        elif name in DERIVED:
            derived[name] = (name, min(arguments, default="1"))  # trec_eval takes one argument
        else:
            definition, usual = AT_CUT[name]
            for each in sorted(arguments or usual, key=float):
                cut = f"{float(each):.2f}" if name in SHARES else str(int(float(each)))
                if float(each) <= 0 and name != "iprec_at_recall":
                    raise ValueError(f"unsupported measure {name}_{each}: the cut-off must be positive")
                single[f"{name}_{cut}"] = definition.replace("{k}", cut)
    return single, derived


def _derived(name: str, argument: str, found: Mapping[str, Floats], size: int) -> Floats:
    parts = [found[each] for each in DERIVED[name]]
    if name in ("gm_map", "gm_bpref"):
        return np.log(np.maximum(parts[0], SMALLEST))
    if name == "set_map":
        return parts[0] * parts[1]
    if name == "utility":
        return 2 * parts[1] - parts[0]
    if name in ("set_relative_P", "set_F"):
        retrieved, relevant, both = parts
        x = float(argument)
        bound = np.minimum(retrieved, relevant) if name == "set_relative_P" else retrieved + x * relevant
        most = both if name == "set_relative_P" else (1 + x) * both
        return np.divide(most, bound, out=np.zeros(size), where=bound > 0)
    return np.full(size, float(name == "num_q"))


def _check_grades(query: Any, items: Any) -> None:
    if not isinstance(query, str):
        raise TypeError("Expected string as key.")
    if not _all_are(items, str):
        raise TypeError("Expected mapping of document id to query relevance or matching score.")
    if not _all_are(items.values(), int, np.integer):
        raise TypeError("Expected relevance to be integer.")


def _check_scores(query: Any, listed: Any) -> None:
    are_scores = isinstance(query, str) and isinstance(listed, Mapping) and _all_are(listed, str)
    if not are_scores or not _all_are(listed.values(), int, float, np.number):
        raise TypeError("Unable to extract query/object scores.")
    if any(map(math.isnan, listed.values())):
        item = next(item for item, score in listed.items() if math.isnan(score))
        raise ValueError(f"The score of document {item} of query {query} is not a number.")


def _all_are(values: Iterable[object], *types: type) -> bool:
    """Return whether all values are of these types; each type is checked once, because runs are long."""
    return all(issubclass(each, types) for each in set(map(type, values)))
