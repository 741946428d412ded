"""A bundle is whole, the same bytes every time, readable by others, and comes back as it was."""

from __future__ import annotations

import gzip
import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import polars as pl
import pytest
from rocrate.rocrate import ROCrate

import assay

from .conftest import PLAN, every_eval_schema, tables


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_same_input_gives_the_same_bytes(result: assay.Result, bundle: Path, tmp_path: Path) -> None:
    corpus, answered = tables(1)
    again = assay.evaluate(answered, corpus, by="default", bootstrap=PLAN).save(tmp_path / "again")
    assert contents(again) == contents(bundle)


def test_another_seed_changes_nothing_but_intervals(bundle: Path, tmp_path: Path) -> None:
    corpus, answered = tables(1)
    plan = assay.Bootstrap(PLAN.resamples, seed=PLAN.seed + 1)
    other = assay.evaluate(answered, corpus, by="default", bootstrap=plan).save(tmp_path / "other")

    def without(value: object) -> object:
        if isinstance(value, dict):
            return {key: without(each) for key, each in value.items() if key not in ("interval", "bootstrap")}
        return [without(each) for each in value] if isinstance(value, list) else value

    documents = [json.loads((each / "metrics_master.json").read_text()) for each in (bundle, other)]
    assert documents[0] != documents[1]
    assert without(documents[0]) == without(documents[1])
    for name in ("per_query.csv", "candidates.csv.gz", "gold.csv", "tune.csv", "per_post.csv"):
        assert (bundle / name).read_bytes() == (other / name).read_bytes()


@pytest.mark.parametrize("name", ["result", "plain", "labels"])
def test_it_follows_its_schema_and_comes_back(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    result: assay.Result = request.getfixturevalue(name)
    folder = result.save(tmp_path / "bundle")
    document = json.loads((folder / "metrics_master.json").read_text())
    schema = json.loads(files("assay.schemas").joinpath("bundle.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(document)
    loaded = assay.load(folder)
    assert loaded.to_dict() == result.to_dict()
    assert loaded.bootstrap == PLAN
    assert [each.posts for each in loaded.thresholds] == [each.posts for each in result.thresholds]
    assert loaded.per_query().height == result.counts.queries
    assert (folder / "tune.csv").exists() == bool(result.thresholds)


def test_tables_are_complete(bundle: Path) -> None:
    corpus, answered = tables(1)
    candidates = pl.read_csv(bundle / "candidates.csv.gz")
    assert candidates.height == answered.candidates.frame.height
    assert candidates["score"].to_list() == answered.candidates.frame["score"].to_list()
    gold = pl.read_csv(bundle / "gold.csv")
    assert gold.height == corpus.gold.frame.height
    assert 0 in gold["grade"].to_list()  # judged, not relevant
    judged = candidates.join(
        gold, left_on=["post_id", "criterion_id", "item"], right_on=["post_id", "criterion_id", "item"]
    )
    assert candidates["grade"].drop_nulls().len() == judged.height
    decided = answered.decisions
    assert decided is not None
    for row in (
        candidates.group_by("post_id", "criterion_id").agg(pl.col("returned").sum(), pl.len()).iter_rows()
    ):
        selected = decided.frame.filter(pl.col("post_id") == row[0], pl.col("criterion_id") == row[1])[
            "selected_k"
        ][0]
        assert row[2] == min(selected, row[3])


def test_archives_can_read_it(bundle: Path) -> None:
    crate = ROCrate(bundle)
    action = crate.get("#evaluation")
    assert action is not None
    assert action.type == "CreateAction"
    assert action["instrument"]["softwareVersion"] == assay.__version__
    files_in_it = {entity.id for entity in crate.data_entities}
    assert files_in_it == {entity.id for entity in action["result"]}
    assert files_in_it | {"MANIFEST.json", "ro-crate-metadata.json"} == set(contents(bundle))
    manifest = json.loads((bundle / "MANIFEST.json").read_text())["files"]
    for entity in crate.data_entities:
        assert entity["sha256"] == manifest[entity.id]
    document = json.loads((bundle / "ro-crate-metadata.json").read_text())
    root = next(each for each in document["@graph"] if each["@id"] == "./")
    assert {"name", "description", "datePublished", "license"} <= set(root)
    assert root["conformsTo"]["@id"].startswith("https://w3id.org/ro/wfrun/process/")
    assert root["mentions"] == {"@id": "#evaluation"}


def test_it_is_an_every_eval_ever_record(bundle: Path) -> None:
    schema = json.loads(every_eval_schema())
    document = json.loads((bundle / "every_eval_ever.json").read_text())
    jsonschema.validators.validator_for(schema)(schema).validate(document)
    names = [each["evaluation_name"] for each in document["evaluation_results"]]
    assert "auroc" in names


def test_an_existing_folder_is_refused(result: assay.Result, tmp_path: Path) -> None:
    folder = result.save(tmp_path / "bundle")
    before = contents(folder)
    with pytest.raises(assay.InputError, match="exists; choose a new folder, or `overwrite=True`"):
        result.save(folder)
    assert contents(folder) == before
    result.save(folder, overwrite=True)
    assert contents(folder) == before
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("years of work")
    with pytest.raises(assay.InputError, match="is not a bundle; only a bundle is overwritten"):
        result.save(mine, overwrite=True)
    assert (mine / "thesis.tex").read_text() == "years of work"


def test_arrays_have_nothing_to_save(tmp_path: Path) -> None:
    result = assay.evaluate(assay.Arrays.of([3.0, 2.0], [1, 0], [2]))
    with pytest.raises(assay.AssayError, match="arrays have no ids"):
        result.save(tmp_path / "bundle")
    assert list(tmp_path.iterdir()) == []


def test_sensitive_text_is_not_in_it(tmp_path: Path) -> None:
    example = files("assay.example")
    folder = assay.evaluate(str(example / "predictions"), str(example / "corpus")).save(tmp_path / "b")
    texts = pl.read_csv(str(example / "corpus" / "sentences.csv"))["text"].to_list()
    for name, data in contents(folder).items():
        plain_text = (gzip.decompress(data) if name.endswith(".gz") else data).decode()
        assert not any(text in plain_text for text in texts)
