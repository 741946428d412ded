"""`--seeds`: each configuration once per seed, with the mean and standard deviation over them."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean, stdev

import pytest

import assay
from tests.pipeline.conftest import Call
from tests.pipeline.protocols.test_folds import short


def test_values_are_those_of_an_ablation_with_each_seed(tmp_path: Path, call: Call) -> None:
    plan = short(tmp_path)
    out = tmp_path / "out"
    code, text, said = call("ablate", tmp_path / "toy.toml", "-o", out, "--seeds", "3,5")
    assert code == 0, said
    document = json.loads((out / "ablation_seeds.json").read_text())
    names = ["retriever", "+ reranker"]
    assert [(row["configuration"], row["seed"]) for row in document["values"]] == [
        (name, seed) for name in names for seed in (3, 5)
    ]
    alone = {seed: assay.ablate(plan.changed(seed=seed), tmp_path / "other").stages for seed in (3, 5)}
    found = {
        (name, seed): frame.filter(configuration=name)["ndcg@10"][0]
        for seed, frame in alone.items()
        for name in names
    }
    assert {(row["configuration"], row["seed"]): row["ndcg@10"] for row in document["values"]} == found
    assert found["+ reranker", 3] != found["+ reranker", 5], "the seeds must split the posts differently"
    first, second = ([found[name, seed] for seed in (3, 5)] for name in names)
    changes = [after - before for before, after in zip(first, second, strict=True)]
    row = document["spread"][1]
    assert row["seeds"] == 2
    assert row["ndcg@10"] == pytest.approx(mean(second), abs=1e-12)
    assert row["ndcg@10 std"] == pytest.approx(stdev(second), abs=1e-12)
    assert row["ndcg@10 change"] == pytest.approx(mean(changes), abs=1e-12)
    assert row["ndcg@10 change std"] == pytest.approx(stdev(changes), abs=1e-12)
    assert document["spread"][0]["ndcg@10 change"] is None
    assert f"{mean(second):.4f} ± {stdev(second):.3f}" in text
    assert "mean ± std over 2 seeds" in text


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("3", "--seeds: is 3; expected two or more distinct seeds"),
        ("3,3", "--seeds: is 3,3; expected two or more distinct seeds"),
        ("x", "--seeds: is 'x'; expected whole numbers separated by commas"),
    ],
)
def test_wrong_seeds(given: str, words: str, tmp_path: Path, call: Call) -> None:
    short(tmp_path)
    code, _, said = call("ablate", tmp_path / "toy.toml", "-o", tmp_path / "out", "--seeds", given)
    assert (code, words in said) == (2, True), said
