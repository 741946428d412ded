"""`import assay` costs next to nothing and offers every name that it promises."""

from __future__ import annotations

import doctest
import importlib
import json
import subprocess
import sys

import pytest

import assay
import assay.compat

HEAVY = ("numpy", "polars", "rich", "typer", "pydantic", "scipy", "matplotlib", "jinja2", "pandas")


def modules_after(statement: str) -> set[str]:
    code = f"import sys, json; {statement}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    return set(json.loads(done.stdout))


@pytest.mark.parametrize(
    "statement", ["import assay", "import assay.cli", "import assay.errors", "import assay.compat"]
)
def test_an_import_loads_nothing_heavy(statement: str) -> None:
    loaded = modules_after(statement)
    assert "assay" in loaded
    assert not loaded & set(HEAVY)


def test_one_name_loads_its_own_module_only() -> None:
    loaded = modules_after("import assay; assay.InputError")
    assert "assay.errors" in loaded
    assert not loaded & set(HEAVY)


def test_every_public_name_is_there() -> None:
    assert len(assay.__all__) == len(set(assay.__all__))
    assert sorted(assay.__all__) == list(assay.__all__)
    for name in assay.__all__:
        assert getattr(assay, name) is not None
    found = dir(assay)
    assert [name for name in found if not name.startswith("__")] == sorted(
        {*assay.__all__, "compat"} - {"__version__"}
    )
    assert len(found) == len(set(found))


def test_names_that_the_design_promises() -> None:
    promised = (
        "recall_at_k precision_at_k hit_rate_at_k mrr_at_k mrr_single_query map_at_k "
        "average_precision_at_k ndcg_at_k compute_k_eff compute_ndcg_at_k assign_state "
        "evidence_recall_at_selected_k evidence_precision_at_selected_k dual_evaluate "
        "paper_evaluate evaluate_predictions NEGateMetrics"
    )
    assert set(promised.split()) == set(assay.compat.__all__)
    assert not set(promised.split()) & set(assay.__all__)
    for name in assay.compat.__all__:
        assert callable(getattr(assay.compat, name))
    assert set(assay.compat.__all__) <= set(dir(assay.compat))


def test_no_folder_takes_the_place_of_a_function() -> None:
    for name in ("evaluate", "metric", "contract", "read_corpus", "read_trec"):
        importlib.import_module(getattr(assay, name).__module__)
        assert callable(getattr(assay, name))


def test_a_star_import_gives_them_all() -> None:
    names: dict[str, object] = {}
    exec("from assay import *", names)
    assert set(assay.__all__) <= set(names)


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match="nothing_of_ours"):
        assay.nothing_of_ours  # noqa: B018 # the access is the test


def test_errors_are_one_tree() -> None:
    for error in (assay.InputError, assay.ContractError, assay.MeasureError):
        assert issubclass(error, assay.AssayError)


def test_doctests_of_single_queries() -> None:
    outcome = doctest.testmod(sys.modules[assay.compat.recall_at_k.__module__])
    assert outcome.attempted >= 6
    assert outcome.failed == 0


def test_a_fault_that_expects_nothing_ends_with_its_problem() -> None:
    assert str(assay.Fault("a.toml", "row 2", "is odd", "")) == "a.toml row 2: is odd"
    assert str(assay.Fault("a.toml", "", "is odd", "expected b")) == "a.toml: is odd; expected b"


@pytest.mark.parametrize("collects", ["enable", "disable"])
def test_loading_a_name_leaves_garbage_collection_as_it_was(collects: str) -> None:
    code = f"""if True:
        import gc
        import assay
        gc.{collects}()
        before = gc.isenabled()
        assay.evaluate
        assert gc.isenabled() == before
        assay._HOME["broken"] = "assay.no_such_module"
        try:
            assay.broken
        except ImportError:
            assert gc.isenabled() == before
            print("as before")
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "as before\n", done.stderr
