"""Objects that travel between processes, and children that were forked."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest

import assay
from assay.errors import Fault, InternalError, MissingExtraError
from tests.hostile.conftest import EXAMPLE

PATHS = (EXAMPLE / "predictions", EXAMPLE / "corpus")


@pytest.mark.parametrize(
    "error",
    [
        assay.InputError([Fault("a.csv", f"row {row}", "is x", "expected y") for row in range(30)]),
        assay.InputError.of("a", "b", "c"),
        assay.ContractError("a"),
        assay.MeasureError("b"),
        assay.AssayError("c"),
        InternalError("d"),
        MissingExtraError("e"),
    ],
)
def test_errors_pickle(error: assay.AssayError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.__dict__ == error.__dict__


def test_a_contract_pickles_after_it_was_used() -> None:
    contract = assay.contract("assay/1")
    used = contract.metrics
    again = pickle.loads(pickle.dumps(contract))
    assert again == contract
    assert again.hash == contract.hash
    assert [each.id for each in again.metrics.values()] == [each.id for each in used.values()]


def test_a_result_pickles_with_its_queries() -> None:
    result = assay.evaluate(*PATHS, by="criterion_id", bootstrap=assay.Bootstrap(10))
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert again.to_dict() == result.to_dict()
    assert again.per_query().equals(result.per_query())
    with pytest.raises(assay.AssayError, match="save it where it was computed"):
        again.save("nowhere")


FORKED = """
import os, signal, sys
import polars as pl
import assay

if sys.argv[3] == "evaluate":
    assay.evaluate(sys.argv[1], sys.argv[2], measures=["mrr"])
elif sys.argv[3] == "polars":
    pl.DataFrame({"a": [1, 2]}).group_by("a").len()
child = os.fork()
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
signal.alarm(20)
try:
    print(assay.evaluate(sys.argv[1], sys.argv[2], measures=["mrr"])["mrr"].n)
except assay.AssayError as error:
    print(error)
sys.stdout.flush()
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize(("parent", "said"), [("evaluate", "spawn"), ("polars", "spawn"), ("nothing", "13")])
def test_a_forked_child(parent: str, said: str) -> None:
    """It waited for ever for threads that a fork does not copy."""
    ran = subprocess.run(
        [sys.executable, "-c", FORKED, *map(str, PATHS), parent],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert said in ran.stdout
