"""A run configuration: which pipeline runs on which corpus, read from a TOML file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from assay.data.input_types import wrong_type
from assay.data.readers.json_toml import read_toml
from assay.errors import Fault, InputError, shown
from assay.pipeline.profile_files import with_profile
from assay.pipeline.protocol.post_split import KINDS, NESTED, SHARES, three_shares, unused_settings
from assay.pipeline.protocol.search_space import Search, search_of
from assay.pipeline.settings import Settings, setting
from assay.pipeline.stage import Pipeline
from assay.pipeline.stage_declaration import RESERVED
from assay.pipeline.stage_registry import DEFAULT, Entry, build, entry_name, found_types, settings_of
from assay.pipeline.stages.three_state_gate import Chooser

Made = TypeVar("Made")
MOST_SEED = 2**32 - 1
"""The largest seed that NumPy's and scikit-learn's generators take."""


@dataclass(frozen=True, slots=True)
class Protocol(Settings):
    """Kind of protocol, its folds or shares, cross-fitting, seed, excluded criteria."""

    kind: str = setting(NESTED, choices=KINDS)
    shares: tuple[float, ...] = setting(SHARES, check=three_shares)  # TRAIN, TUNE, EVAL of a split
    folds: int = setting(5, low=2)
    train: float = setting(0.7, low=0.1, high=0.9)
    crossfit: int = setting(5, low=2)
    seed: int = setting(0, low=0, high=MOST_SEED)
    exclude: tuple[str, ...] = setting(())  # criteria excluded from training
    resamples: int = setting(10_000, low=0, high=100_000)  # of the intervals; 0 for none
    train_posts: int | None = setting(None, low=2, optional=True)  # learn from this many TRAIN posts


@dataclass(frozen=True, slots=True)
class Plan:
    """A configuration, read and checked.

    Attributes
    ----------
    corpus
        The folder of the corpus.
    contract
        The id of the contract.
    stages
        Names of stages, `module:Class` of your own, or classes.
    protocol
        Folds, shares, seed and excluded criteria.
    tables
        Settings by the name of their stage.
    source
        The name of the file, for messages.
    ablation
        The tables `[[ablation]]`.
    search
        The settings search, `[tune]`.
    folder
        Where to find the modules of custom stages and folders of models; by default `sys.path`
        and the current directory.
    exclude_any
        Whether `exclude` lists alternatives, as that of a profile does: one of them is enough.

    """

    corpus: Path
    contract: str = "assay/1"
    stages: tuple[Entry, ...] = DEFAULT
    protocol: Protocol = field(default_factory=Protocol)
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    source: str = "pipeline"
    ablation: tuple[Mapping[str, Any], ...] = ()
    search: Search | None = None
    folder: Path | None = None
    exclude_any: bool = False

    def changed(self, **settings: Any) -> Plan:
        """Return the configuration with other protocol settings."""
        return replace(self, protocol=replace(self.protocol, **settings))

    def record(self) -> dict[str, Any]:
        """Return what determines the result, without the location of the corpus."""
        told = {
            "contract": self.contract,
            "stages": [entry_name(each) for each in self.stages],
            "protocol": self.protocol.to_dict(),
            "tables": {name: dict(table) for name, table in self.tables.items()},
        }
        return told if self.search is None else {**told, "tune": self.search.record()}


def read_plan(path: str | Path | Plan) -> Plan:
    """Read a pipeline configuration.

    Parameters
    ----------
    path
        A TOML file (docs/pipeline.md). A relative path of its corpus starts at the file's folder. A
        `Plan` comes back as it is.

    Returns
    -------
    Plan
        The configuration, checked.

    Raises
    ------
    InputError
        With all faults of the file.

    Examples
    --------
    >>> from pathlib import Path
    >>> Path("pipeline.toml").write_text(f'corpus = "{assay.example_path("corpus")}"') > 0
    True
    >>> assay.read_plan("pipeline.toml").stages[0]
    'lexical'

    """
    if isinstance(path, Plan):
        return path
    if not isinstance(path, str | Path):
        raise wrong_type("plan", path, "a configuration file, or what read_plan returns")
    file = Path(path)
    given = read_toml(file)
    document = with_profile(given, file.name)
    faults = [
        Fault(file.name, "", f"{key} is {shown(value)}", f"expected {expected}")
        for key, value, right, expected in _tops(document)
        if not right
    ]
    tables = {key: value for key, value in document.items() if key not in RESERVED}
    faults += [
        Fault(file.name, "", f"{key} is {shown(value)}", "expected a table of settings of a stage")
        for key, value in tables.items()
        if not isinstance(value, dict)
    ]
    if faults:
        raise InputError(faults)
    stages = tuple(document.get("stages", DEFAULT))
    place = f"{file.name} [protocol]"
    protocol = _tried(faults, lambda: Protocol.of(document.get("protocol", {}), place))
    _tried(faults, lambda: settings_of(stages, tables, file.name, file.parent))
    search = None
    if "tune" in document:
        kinds, _ = found_types(stages, file.parent, file.name)
        search = _tried(faults, lambda: search_of(document["tune"], kinds, file.name))
    faults += unused_settings(document.get("protocol", {}), place)
    if faults:
        raise InputError(faults)
    return Plan(
        corpus=file.parent / document["corpus"],
        contract=document.get("contract", "assay/1"),
        stages=stages,
        protocol=protocol or Protocol(),
        tables=tables,
        source=file.name,
        ablation=tuple(document.get("ablation", ())),
        search=search,
        folder=file.parent,
        exclude_any="profile" in document and "exclude" not in given.get("protocol", {}),
    )


def pipeline_of(plan: Plan, choose: Chooser) -> Pipeline:
    """Return the stages of a configuration, composed and checked."""
    return build(
        plan.stages,
        plan.tables,
        choose=choose,
        seed=plan.protocol.seed,
        source=plan.source,
        folder=plan.folder,
    )


def _tried(faults: list[Fault], make: Callable[[], Made]) -> Made | None:
    """Return the result of `make`, or None after adding its faults to the others."""
    try:
        return make()
    except InputError as error:
        faults += error.faults
        return None


def _tops(document: Mapping[str, Any]) -> list[tuple[str, Any, bool, str]]:
    """Yield top-level keys with their values, whether they are valid, and what is expected."""
    corpus, contract = document.get("corpus"), document.get("contract", "assay/1")
    stages, protocol = document.get("stages", list(DEFAULT)), document.get("protocol", {})
    ablation = document.get("ablation", [])
    listed = isinstance(ablation, list) and all(isinstance(each, dict) for each in ablation)
    tune = document.get("tune", {})
    names = isinstance(stages, list) and stages and all(isinstance(each, str) for each in stages)
    return [
        ("corpus", corpus, isinstance(corpus, str) and bool(corpus), "the folder of a corpus"),
        ("contract", contract, isinstance(contract, str), "the id of a contract"),
        ("stages", stages, bool(names), "a list of stage names"),
        ("protocol", protocol, isinstance(protocol, dict), "a table"),
        ("ablation", ablation, listed, "a list of tables, [[ablation]]"),
        ("tune", tune, isinstance(tune, dict), "a table"),
    ]
