"""Stages by `module:Class`: found next to the configuration, refused with all faults before anything runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import assay
from assay.data.corpus import Corpus
from assay.errors import AssayError, CompositionError, InputError
from assay.experiment.ablation.configurations import cumulative
from assay.experiment.state_thresholds import choose, tune_reused
from assay.pipeline.custom.load_stage import load_stage
from assay.pipeline.custom.stage_sources import source_files, source_hash
from assay.pipeline.protocol.outer_folds import predict
from assay.pipeline.run_config import Plan, Protocol, pipeline_of, read_plan
from assay.pipeline.views import Columns, Labelled, Unlabelled
from tests.pipeline.conftest import toy
from tests.pipeline.custom.conftest import HEAD, Folder


class Plus(assay.Stage):
    """A ranking stage in a module that every process can import."""

    name = "plus"
    needs: tuple[str, ...] = ("match",)
    gives: tuple[str, ...] = ("plus",)
    ranks: ClassVar[str | None] = "plus"

    def apply(self, view: Unlabelled) -> Columns:
        return {"plus": view.column("match") + 1}


def refused(path: Path) -> str:
    before = list(sys.path)
    with pytest.raises(AssayError) as error:
        pipeline_of(read_plan(path), choose)
    assert sys.path == before
    return str(error.value)


def test_found_next_to_the_configuration_from_any_directory(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder(more="[mine]\n")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    before = list(sys.path)
    plan = read_plan(path)
    assert pipeline_of(plan, choose).names() == "lexical >> matching >> scorer >> mine"
    assert sys.path == before
    assert plan.record()["stages"][-1] == "mystage:Mine"
    assert not (tmp_path / "__pycache__").exists()


def test_an_edited_module_is_imported_again(folder: Folder) -> None:
    kinds = []
    for number in (1, 2):
        path = folder(f"class Mine(Base):\n    number = {number}")
        kinds.append(type(pipeline_of(read_plan(path), choose).stages[-1]))
    assert [each.number for each in kinds] == [1, 2]  # type: ignore[attr-defined]


def test_an_edited_helper_changes_the_hash(folder: Folder, tmp_path: Path) -> None:
    path = folder("class Mine(Base):\n    def apply(self, view):\n        import helper")
    hashes = []
    for text in ("A = 1", "A = 2"):
        (tmp_path / "helper.py").write_text(text)
        hashes.append(source_hash(type(pipeline_of(read_plan(path), choose).stages[-1])))
    assert hashes[0] != hashes[1]
    found = source_files("mystage", tmp_path / "mystage.py")
    assert [each.name for each in found] == ["helper.py", "mystage.py"]


def test_two_modules_of_one_folder_stay_imported(folder: Folder, tmp_path: Path) -> None:
    path = folder(**{'"mystage:Mine"': '"mystage:Mine", "other:Other"'})
    (tmp_path / "other.py").write_text(
        "from mystage import Base\nclass Other(Base):\n    name, gives, ranks = 'other', ('o',), 'o'\n"
    )
    first, second = (pipeline_of(read_plan(path), choose).stages[-2:] for _ in range(2))
    assert [type(each) for each in first] == [type(each) for each in second]


def test_same_module_name_in_two_folders(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "mystage.py").write_text((folder().parent / "mystage.py").read_text())
    one = load_stage("mystage:Mine", tmp_path, "a.toml")
    two = load_stage("mystage:Mine", tmp_path / "b", "b.toml")
    assert one is not two


@pytest.mark.parametrize("regular", [True, False])
def test_a_package_next_to_the_configuration(tmp_path: Path, regular: bool) -> None:
    for name in ("a", "b"):  # packages of the same name
        package = tmp_path / name / "ownstages"
        package.mkdir(parents=True)
        if regular:
            (package / "__init__.py").write_text("")
        (package / "base.py").write_text(HEAD + f"    where = {name!r}\n")
        (package / "module.py").write_text("from .base import Base\nclass Mine(Base): pass\n")
        for _ in range(2):
            kind = load_stage("ownstages.module:Mine", tmp_path / name, "x.toml")
            assert kind.where == name  # type: ignore[attr-defined]
        found = {each.name for each in source_files("ownstages.module", package / "module.py")}
        assert {"base.py", "module.py"} <= found


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("nowhere:Mine", "stage 'nowhere:Mine': module nowhere not found; put it next to"),
        ("mystage:Yours", "mystage.py has no class Yours; expected one of Base, Mine"),
        ("mystage:np", "'mystage:np' is not a stage; expected a subclass of assay.Stage"),
        ("mystage:", "'mystage:' is not a name; expected module:Class"),
        ("my stage:Mine", "'my stage:Mine' is not a name"),
        ("json:JSONDecoder", "'json:JSONDecoder' is not a stage"),
        ("mystage.deep:Mine", "module mystage.deep not found"),
        ("mine", "names unknown stage 'mine'"),
    ],
)
def test_what_cannot_be_found(folder: Folder, entry: str, words: str) -> None:
    assert words in refused(folder(**{"mystage:Mine": entry}))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import nothing_like_it", "importing mystage failed with ModuleNotFoundError: No module named"),
        ("class Mine(:", "importing mystage failed with SyntaxError"),
        ("raise ValueError('no')", "importing mystage failed with ValueError: no"),
        ("raise SystemExit(3)", "importing mystage failed with SystemExit: 3"),
        ("class Mine(assay.Stage):\n    def apply(self, view): pass", "has no name; add a class attribute"),
        ("class Mine(Base):\n    name = 'gate'", "is named 'gate', like a stage of assay"),
        ("class Mine(Base):\n    name = 'corpus'", "'corpus', which is a key of every configuration"),
        ("class Mine(Base):\n    name = 'a b'", "name is 'a b'; expected letters"),
        ("class Mine(assay.Stage):\n    name = 'mine'", "has no apply; define apply(self, view)"),
        ("class Mine(Base):\n    settings_type = dict", "settings_type is <class 'dict'>"),
        ("class Mine(Base):\n    needs = 'score'", "needs is 'score'; expected a tuple of column names"),
        ("class Mine(Base):\n    gives = ['mine']", "gives is ['mine']; expected a tuple"),
        ("class Mine(Base):\n    gives, ranks = (), None", "gives no column; name at least one"),
        ("class Mine(Base):\n    ranks = 'other'", "ranks is 'other'; expected one of the columns"),
        ("class Mine(Base):\n    learns = 'TRAIN'", "learns is 'TRAIN'; expected a member of Learns"),
        ("class Mine(Base):\n    needs = ('nope',)", "needs column 'nope', which no earlier stage produces"),
        ("class Mine(Base):\n    gives = ('score', 'mine'); needs = ()", "already produces"),
        ("class Mine(Base):\n    needs = ('gold',)", "asks for gold in apply"),
        ("class Mine(Base):\n    def apply(self, view: assay.Labelled): pass", "asks for gold in apply"),
        ("class Mine(Base):\n    learns = Learns.TRAIN", "learns on TRAIN but has no fit"),
        ("class Mine(Base):\n    def fit(self, labelled): pass", "has a fit but learns nothing"),
        ("class Mine(Base):\n    def __init__(self): pass", "stage 'mine' cannot be created (TypeError"),
        (
            "class Mine(Base):\n    gives = ('mine', 'k'); learns = Learns.TRAIN\n    def fit(self, l): pass",
            "columns are averaged over cross-fitting",
        ),
    ],
)
def test_what_is_declared_wrongly(folder: Folder, code: str, words: str) -> None:
    assert words in refused(folder(code))


def test_all_faults_at_once_with_exit_code_2(
    folder: Folder, call: object, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder(
        more="iteration = 3\n[mine]\nx = 1\n", **{'"mystage:Mine"': '"no:A", "mystage:No", "mystage:Mine"'}
    )
    code, _, said = call("run", path, "-o", path.parent / "out")  # type: ignore[operator]
    assert code == 2
    assert "Traceback" not in said
    for words in (
        "module no not found",
        "no class No",
        "[scorer]: has no setting 'iteration'",
        "setting 'x'",
    ):
        assert words in said


def test_a_train_learner_after_tune() -> None:
    class Tuned(Plus):
        name, gives, ranks, learns = "tuned", ("tuned",), None, assay.Learns.TUNE

        def fit(self, labelled: Labelled) -> None: ...

    class Late(Plus):
        name, needs, gives, ranks, learns = "late", ("tuned",), ("late",), None, assay.Learns.TRAIN

        def fit(self, labelled: Labelled) -> None: ...

    plan = Plan(Path("toy"), stages=("lexical", "matching", Tuned, Late))
    with pytest.raises(CompositionError, match="'late' learns on TRAIN and needs column 'tuned'"):
        pipeline_of(plan, choose)
    assert tune_reused(Plan(Path("toy"), stages=("lexical", "matching", Tuned)))


def test_a_class_in_python_ranks_and_its_ablation_has_a_row() -> None:
    stages = ("lexical", "matching", Plus)
    plan = Plan(Path("toy"), stages=stages, protocol=Protocol(folds=2, crossfit=2))
    corpus = Corpus.of(**toy(20))
    own = predict(plan, corpus, choose, processes=1).candidates
    without = Plan(Path("toy"), stages=stages[:2], protocol=plan.protocol)
    match = predict(without, corpus, choose, processes=1).candidates
    np.testing.assert_allclose(own["score"], match["score"] + 1)
    assert plan.record()["stages"][-1] == f"{__name__}:Plus"
    row = cumulative(plan)[-1]
    assert row.name == "+ plus"
    assert row.plan is not None
    assert row.plan.stages == stages


def test_a_class_that_other_processes_cannot_import(tmp_path: Path) -> None:
    class Inner(Plus):
        name = "inner"

    plan = Plan(Path("toy"), stages=("lexical", "matching", Inner), protocol=Protocol(folds=2))
    with pytest.raises(InputError, match=r"'inner': is defined inside a function.*`processes=1`"):
        predict(plan, Corpus.of(**toy(20)), choose, cache=tmp_path, processes=2)
    assert len(predict(plan, Corpus.of(**toy(20)), choose, cache=tmp_path, processes=1).candidates)


def test_nothing_ranks() -> None:
    class Quiet(Plus):
        name, needs, ranks = "quiet", (), None

        def apply(self, view: Unlabelled) -> Columns:
            return {"plus": np.zeros(view.pairs)}

    with pytest.raises(InputError, match="no stage ranks the candidates; add one such as lexical"):
        pipeline_of(Plan(Path("toy"), stages=(Quiet,)), choose)


def test_a_search_over_settings_of_an_own_stage(folder: Folder) -> None:
    code = """
from dataclasses import dataclass

@dataclass(frozen=True, slots=True)
class Told(assay.Settings):
    weight: float = assay.setting(0.5, low=0, high=2)

class Mine(Base):
    settings_type = Told
"""
    plan = read_plan(folder(code, "[tune.mine]\nweight = {low = 0.1, high = 1.0}\n"))
    assert plan.search is not None
    assert plan.search.space[0].default == 0.5
    said = refused(folder(code, "[tune.mine]\nweight = {low = 0.1, high = 9.0}\n"))
    assert "weight is 9.0" in said
