"""A contract: rules of ranking, the list of cut-offs, and a definition for each public name."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from assay.contracts.contract_parts import PLACE, Correction, is_definition
from assay.data.alignment.align import RankingRules
from assay.errors import ContractError, MeasureError, shown
from assay.metrics.core.entry import Metric
from assay.metrics.core.names.parameter import LARGEST_CUT, Frozen
from assay.metrics.core.registry import USER_DEFINED, is_own_column, metric

if TYPE_CHECKING:
    from assay.contracts.name_reading import Reading

__all__ = ["NO_DEPTH", "PLACE", "TIES", "Contract"]

TIES = ("stable", "docno_desc", "expected")
"""Input order; id, descending; or the mean over all orders."""
MOST_CUTS = 1000
"""Each cut-off costs a value, with its tables, of every measure."""
NO_DEPTH = "ties=expected and a depth exclude each other: which tied candidates the depth keeps would be open"


@lru_cache(maxsize=4096)
def _spelling(pattern: str, *, any_case: bool) -> re.Pattern[str]:
    """Return what a name of a contract looks like, at any cut-off."""
    before, place, after = map(re.escape, pattern.partition(PLACE))
    number = "(all|[1-9][0-9]*)" if place else "()"
    return re.compile(f"{before}{number}{after}", re.IGNORECASE if any_case else re.NOFLAG)


OF_DECISIONS = ("precision", "recall", "f1")
"""Names of scikit-learn that mean another measure in tools for rankings; with `_score` they do not."""


@dataclass(frozen=True)
class Contract:
    """Immutable and versioned: a changed contract is another contract, with another hash."""

    id: str
    title: str
    source: str
    ranking: RankingRules
    aggregate: str  # headline with folds: fold_mean or pooled
    k: tuple[int, ...]
    k_primary: tuple[int, ...]
    k_optional: tuple[int, ...]
    k_ceiling: bool
    measures: Mapping[str, str]  # public name to definition, either with {k}
    expected: Mapping[str, int] = field(default_factory=dict)  # counts of the data it is for
    targets: Mapping[str, str] = field(default_factory=dict)  # public name to ">= 0.85"
    deployment: str | None = None  # the rule that chooses the threshold `at=tune` on TUNE
    confidence: float = 0.9  # of thresholds that promise a sensitivity or a precision
    absent: Mapping[str, str] = field(default_factory=dict)  # name left out on purpose to reason
    corrections: tuple[Correction, ...] = ()  # oldest first
    text: str = ""  # the TOML it was read from

    def __post_init__(self) -> None:
        """Freeze the tables: contracts are cached, and an edit would reach every later user."""
        if len(self.k) > MOST_CUTS:
            raise ContractError(f"{self.id[:40]} has too many cut-offs; expected at most {MOST_CUTS:,}")
        for name in ("measures", "expected", "targets", "absent"):
            object.__setattr__(self, name, Frozen(getattr(self, name)))

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Contract:
        """Return the contract of a flat table: its fields, and those of its ranking rules."""
        rules = {name: values[name] for name in ("ties", "depth", "unjudged_queries", "exclude_criteria")}
        own = {each.name: values[each.name] for each in fields(cls) if each.name != "ranking"}
        lists = {name: tuple(own[name]) for name in ("k", "k_primary", "k_optional")}
        rules["exclude_criteria"] = tuple(rules["exclude_criteria"])
        return cls(**{**own, **lists, "ranking": RankingRules(**rules)})

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: what is derived from them holds functions, and is cheap."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def cuts(self) -> tuple[str, ...]:
        """Cut-offs of every `{k}` measure, as they are spelled."""
        listed = [str(k) for k in self.k]
        return (*listed, "all") if self.k_ceiling else tuple(listed)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Public name to definition text, with every `{k}` filled in."""
        filled: dict[str, str] = {}
        for name, definition in self.measures.items():
            for cut in self.cuts if PLACE in definition else ("",):
                filled[name.replace(PLACE, cut)] = definition.replace(PLACE, cut)
        return Frozen(filled)

    @property
    def taken_names(self) -> list[str]:
        """Return the public names that the table of queries needs for its own columns: they are faults."""
        return [name for name in self.names if is_own_column(name)]

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """Public name to measure."""
        return Frozen({name: metric(definition) for name, definition in self.names.items()})

    def resolve(self, name: str) -> Metric:
        """Return the measure of a public name, of another tool's name for it, or of a definition id.

        A name that the contract lacks does not fall back to another definition in silence: see
        `name_reading` for the rules.
        """
        if name in self.names and name.partition("@")[0] not in USER_DEFINED:
            return metric(self.names[name])
        return self.read(name).metric

    def read(self, name: str) -> Reading:
        """Return the measure that a name means, with the contract's own name and a note."""
        from assay.contracts.name_reading import read_name

        return read_name(self, name)

    def own_name(self, name: str) -> str:
        """Return the contract's own name for what a name means; the name itself where it has none."""
        return name if name in self.names else self.read(name).own or name

    def own(self, name: str, *, any_case: bool = False) -> tuple[str, str] | None:
        """Return the contract's spelling of one of its names, at any cut-off, and its definition."""
        if name in self.names:
            return name, self.names[name]
        return self._spelled(name, any_case)

    @cached_property
    def _spelled(self) -> Callable[[str, bool], tuple[str, str] | None]:
        """Remember which names are spelled like the contract's own.

        `evaluate` asks for each of 30 definition ids three times: 5 ms of CPU without this, of 40 ms
        for 7 million candidates in arrays.
        """
        return lru_cache(maxsize=4096)(self._search_spellings)

    def _search_spellings(self, name: str, any_case: bool) -> tuple[str, str] | None:
        for pattern, definition in self.measures.items():
            if not any_case and not name.startswith(pattern.partition(PLACE)[0]):
                continue  # no expression is compiled for it
            found = _spelling(pattern, any_case=any_case).fullmatch(name)
            if found is not None:
                cut = found[1].lower()
                return pattern.replace(PLACE, cut), definition.replace(PLACE, cut)
        return None

    def refuse_out_of_reach(
        self, measures: Iterable[str] | None, *, level: int | None, complete: bool
    ) -> None:
        """Raise where `level` or `complete` was given and none of the named measures can follow it.

        Options change the names of a contract; a definition id stays as it is spelled.
        """
        if measures is None:
            return
        named = [self.resolve(name).params for name in measures if not is_definition(name)]
        if level is not None and not any("rel" in params for params in named):
            raise MeasureError(f"level {level} changes none of the measures; spell it: rel={level}")
        if complete and not any(params.get("on") == "predicted" for params in named):
            raise MeasureError("complete changes none of the measures; spell it: on=all")

    def role(self, name: str) -> str | None:
        """Return what the K policy says of a name's cut-off: primary, optional, ceiling, or nothing."""
        _, at, cut = name.rpartition("@")
        if not at:
            return None
        if cut == "all":
            return "ceiling"
        if cut in map(str, self.k_primary):
            return "primary"
        return "optional" if cut in map(str, self.k_optional) else None

    @property
    def hash(self) -> str:
        """SHA-256 of everything that the contract says, however its file is laid out.

        It is computed from the definitions, targets and rules themselves, so that no changed
        contract can carry the hash of another.
        """
        said = json.dumps(self.content(), sort_keys=True, ensure_ascii=False, allow_nan=False)
        return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()

    def content(self) -> dict[str, Any]:
        """Return everything that the contract says as plain values, rules among them."""
        said = {
            each.name: _plain(getattr(self, each.name))
            for each in fields(self)
            if each.name not in ("source", "text", "ranking")
        }
        rules = asdict(self.ranking)
        for name in ("keep_confidence", "keep_pairs"):  # follow from the measures that are asked for
            del rules[name]
        return said | {name: _plain(value) for name, value in rules.items()}

    def expanded(self, names: Iterable[str] | None, *, labels: bool = False) -> tuple[str, ...] | None:
        """Return names of measures, with those that mean several (`P.5,10`) replaced by these.

        Of data that are `labels` and probabilities alone, `recall` is scikit-learn's.
        """
        given = None if names is None else tuple(names)
        if labels and given is not None:
            alone = {name for name in given if name.lower() in OF_DECISIONS and self.own(name) is None}
            given = tuple(f"{name.lower()}_score" if name in alone else name for name in given)
        if given is None or all(("@" in each and "," not in each) or ":" in each for each in given):
            return given
        from assay.contracts.trec_eval_names import expanded

        return expanded(given, self.names, own=self.id.partition("+")[0] == "trec_eval/10")

    def changed(
        self,
        *,
        level: int | None = None,
        depth: int | None = None,
        complete: bool = False,
        k: tuple[int, ...] | None = None,
        ties: str | None = None,
        na_prob_thresh: float | str | None = None,
    ) -> Contract:
        """Return the contract with another relevance level, depth, population, cut-offs or rule for ties.

        `na_prob_thresh` is the option of SQuAD's script. The id names the changes, so that no value
        passes for one of the contract itself.
        """
        measures, notes = self.measures, list[str]()
        if level is not None or na_prob_thresh is not None or complete:
            from assay.contracts.measure_options import changed_measures

            measures, notes = changed_measures(
                self.measures, self.id, level, na_prob_thresh, complete=complete
            )
        if depth is not None:
            if not 1 <= depth <= LARGEST_CUT:
                raise ContractError(f"depth is {shown(depth)}; a whole number from 1 to 10^15 was expected")
            notes.append(f"depth={depth}")
        if k is not None:
            if not k or min(k) < 1 or max(k) > LARGEST_CUT:
                raise ContractError("cut-offs must be whole numbers from 1 to 10^15")
            if len(k) > MOST_CUTS:
                raise ContractError(f"too many cut-offs; expected at most {MOST_CUTS:,}")
            k = tuple(dict.fromkeys(k))
            notes.append("k=" + "/".join(map(str, k)))
        if ties is not None:
            if ties not in TIES:
                raise ContractError(f"ties is {shown(ties)}; expected {', '.join(TIES[:-1])} or {TIES[-1]}")
            notes.append(f"ties={ties}")
        if not notes:
            return self
        ranking = replace(self.ranking, depth=depth or self.ranking.depth, ties=ties or self.ranking.ties)
        if ranking.ties == "expected" and ranking.depth is not None:
            raise ContractError(NO_DEPTH)
        return replace(
            self,
            id=f"{self.id}+{'+'.join(notes)}",
            measures=measures,
            ranking=ranking,
            k=k or self.k,
            k_ceiling=self.k_ceiling and k is None,
            text=f"{self.text}\n# changed: {' '.join(notes)}",
        )


def _plain(value: Any) -> Any:
    """Return a field as JSON has it."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return _plain(asdict(value)) if isinstance(value, Correction) else value
