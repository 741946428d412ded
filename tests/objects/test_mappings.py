"""Results and comparisons are mappings to floats that know what they measure."""

from __future__ import annotations

import copy
import json
import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from tests.objects.conftest import CORPUS, EXAMPLE

NDCG = "ndcg@10:gain=linear,gold=all,cut=k,on=evidence"


def test_a_result_is_a_mapping_from_names_to_values(result: assay.Result) -> None:
    assert list(result) == [value.name for value in result.measures]
    assert len(result) == len(result.measures) > 100
    assert dict(result) == {value.name: value for value in result.measures}
    assert list(result.values()) == list(result.measures)
    assert "ndcg@10" in result
    assert "nothing@10" not in result
    others: list[Any] = [10, []]
    assert [each in result for each in others] == [False, False]
    assert result.get("nothing") is None
    assert {**result}["auroc"] is result["auroc"]


def test_a_definition_id_finds_its_value(result: assay.Result) -> None:
    assert result[NDCG] is result["ndcg@10"]
    assert NDCG in result


def test_what_a_result_lacks_is_a_missing_key_and_a_measure_error(result: assay.Result) -> None:
    for kind in (KeyError, assay.MeasureError):
        with pytest.raises(kind, match=r"^nothing is not a measure of this result under assay/1$"):
            result["nothing"]
    with pytest.raises(KeyError, match=r"^tune/f1 is absent: no threshold was chosen on TUNE$"):
        result["tune/f1"]


def test_a_value_is_the_float_it_holds(result: assay.Result) -> None:
    value = result["ndcg@10"]
    number = value.value
    assert type(float(value)) is float
    assert type(number) is float
    assert value == number
    assert hash(value) == hash(number)
    assert value > number - 0.1
    assert not value < number
    assert f"{value:0.3f}" == f"{number:0.3f}"
    assert float(str(value)) == number
    assert str(value) == f"{value}" == str(number)
    assert json.dumps([value]) == json.dumps([number])
    assert np.array([value, value]).dtype == np.float64
    assert math.isclose(value - number, 0)
    assert max(result["map@10"], result["recall@10"]) is result["recall@10"]
    assert value == pytest.approx(number)


def test_the_repr_of_a_value_is_one_short_line(result: assay.Result, small: assay.Result) -> None:
    value = result["auroc"]
    assert value.interval is not None
    low, high = value.interval.low, value.interval.high
    assert repr(value) == f"Value(auroc = {value:.4f}, 95% CI [{low:.4f}, {high:.4f}], n = 36)"
    assert repr(small["mrr"]) == "Value(mrr = 0.7500, n = 6)"
    assert repr(result["tp"]).startswith("Value(tp = 12, 95% CI [")


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_values_results_and_comparisons_are_copied_whole(
    again: Callable[[Any], Any], result: assay.Result, pair: assay.Comparison
) -> None:
    value = again(result["ndcg@10"])
    assert type(value) is assay.Value
    assert asdict(value) == asdict(result["ndcg@10"])
    difference = again(pair["mrr"])
    assert type(difference) is assay.Difference
    assert asdict(difference) == asdict(pair["mrr"])
    assert again(pair) == pair
    other = again(result)
    assert other is not result
    assert other == result
    assert other.per_query().equals(result.per_query())


def test_a_copy_can_be_saved(result: assay.Result, tmp_path: Path) -> None:
    assert assay.load(copy.copy(result).save(tmp_path / "one")) == result
    assert assay.load(copy.deepcopy(result).save(tmp_path / "two")) == result


def test_results_are_equal_if_every_number_is(result: assay.Result, bundle: Path) -> None:
    assert assay.load(bundle) == result
    assert replace(result, system="another name") == result
    first, *rest = result.measures
    other = replace(first, value=np.nextafter(first.value, 2))
    assert replace(result, measures=(other, *rest)) != result
    assert replace(result, measures=(replace(first, n=first.n + 1), *rest)) != result
    assert result != assay.evaluate(EXAMPLE / "predictions", CORPUS, measures=["mrr"])
    assert result != dict(result)
    for each in (result, assay.load(bundle)):
        with pytest.raises(TypeError, match="unhashable"):
            hash(each)


SPAWNED = """
import multiprocessing, sys
import assay

def numbers(result):
    return result, len(result.per_query()), result.bundle.gold.height

if __name__ == "__main__":
    loaded = assay.load(sys.argv[1])
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        again, queries, gold = pool.apply(numbers, (loaded,))
    assert again == loaded
    print(queries, gold)
"""


def test_a_loaded_result_travels_to_a_spawned_process(bundle: Path, tmp_path: Path) -> None:
    script = tmp_path / "spawned.py"
    script.write_text(SPAWNED, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, str(script), str(bundle)], capture_output=True, text=True, check=False
    )
    assert (ended.stdout, ended.stderr) == ("36 19\n", "")


def test_keys_of_a_comparison_tell_its_differences_apart(
    pair: assay.Comparison, three: assay.Comparison, every_pair: assay.Comparison
) -> None:
    assert list(pair) == ["ndcg@10", "mrr"]
    assert list(three) == [("ndcg@10", "b"), ("mrr", "b"), ("ndcg@10", "c"), ("mrr", "c")]
    assert list(every_pair)[:2] == [("ndcg@10", "a", "b"), ("mrr", "a", "b")]
    assert len(every_pair) == len(set(every_pair)) == 6
    for made in (pair, three, every_pair):
        assert [made[key] for key in made] == list(made.differences)
        assert [id(each) for each in made.values()] == list(map(id, made.differences))
    assert pair["mrr"] is pair["mrr", "b"] is pair["mrr", "a", "b"]
    assert three["mrr", "c"].system == "c"
    assert every_pair["mrr", "b", "c"].baseline == "b"
    assert "mrr" in pair
    assert "mrr" not in three
    assert ("mrr", "b") not in pair or pair["mrr", "b"].system == "b"


def test_what_a_comparison_lacks_is_said(pair: assay.Comparison, three: assay.Comparison) -> None:
    with pytest.raises(KeyError, match="'auroc' is not of the family ndcg@10, mrr"):
        pair["auroc"]
    with pytest.raises(KeyError, match=r"mrr was compared 2 times; ask for one of: 'mrr', 'b' or 'mrr', 'c'"):
        three["mrr"]
    with pytest.raises(KeyError):
        pair["mrr", "b", "a"]


def test_a_difference_is_a_float_with_a_sign(pair: assay.Comparison) -> None:
    found = pair["ndcg@10"]
    assert found == found.difference == found.system_value - found.baseline_value
    assert found < 0
    assert f"{found:+.3f}" == f"{found.difference:+.3f}"
    assert repr(found).startswith(f"Difference(ndcg@10: b minus a = {found.difference:+.4f}, 95% CI [")
