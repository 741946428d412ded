"""`assay audit CONFIG` with a single split: one fold, of which only the EVAL posts are predicted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from assay.pipeline.run_config import read_plan
from assay.verification.audit.system.audit_config import audit_plan
from tests.verification.audit.test_configured import PLAN
from tests.verification.audit.test_own_stages import PLAN as OWN
from tests.verification.audit.test_own_stages import STAGES, write_plan

pytestmark = pytest.mark.full

Call = Callable[..., tuple[int, str]]
SPLIT = 'kind = "split"\nshares = [0.5, 0.2, 0.3]'
CHEATS = ("opens gold in apply", "opens gold with a library in Rust", "finds gold in the call stack")
WEAK = {"L104"}
"""A drop on 27 EVAL posts is not as certain as on the 90 of three folds."""


def as_split(plan: str) -> str:
    return re.sub("^folds = [23]$", SPLIT, plan, count=1, flags=re.MULTILINE)


def test_our_pipeline_is_clean(tmp_path: Path, call_cli: Call) -> None:
    path = write_plan(tmp_path, "", as_split(PLAN))
    code, text = call_cli("audit", str(path), "--shuffles", "2", "--json")
    document = json.loads(text)
    findings = {each["code"]: each for each in document["findings"]}
    assert code == 0, [each for each in findings.values() if each["verdict"] == "found"]
    assert {findings[each]["verdict"] for each in ("L101", "L102", "L103", "L104", "L105")} == {"clean"}
    assert findings["L101"]["looked_at"] == "1 fold, each asked twice"
    # The roles of all posts are known, and the three parts share no post and no text.
    assert {findings[each]["verdict"] for each in ("L001", "L003", "L009")} == {"clean"}
    assert "45 TRAIN and 27 EVAL posts" in findings["L009"]["looked_at"]
    assert (document["kind"], document["name"]) == ("configuration", "mine.toml")


def test_a_split_of_the_corpus(tmp_path: Path) -> None:
    path = write_plan(tmp_path, "", as_split(OWN).replace(', "cheating:Mine"', ""))
    posts = [f"p{at:03d}" for at in range(90)]
    parts = ["Train"] * 50 + ["dev"] * 20 + ["Test"] * 20
    pl.DataFrame({"post_id": posts, "fold": parts}).write_csv(tmp_path / "corpus" / "folds.csv")
    report = audit_plan(read_plan(path), shuffles=2, resamples=200)
    assert report.leaks == ()
    assert report["L102"].verdict == "clean"


@pytest.mark.full
@pytest.mark.parametrize("name", ["honest", *CHEATS])
def test_a_stage_is_found_if_it_cheats(tmp_path: Path, call_cli: Call, name: str) -> None:
    body, codes = STAGES[name]
    expected = codes - WEAK
    code, text = call_cli(
        "audit", str(write_plan(tmp_path, body, as_split(OWN))), "--shuffles", "2", "--json"
    )
    findings = {each["code"]: each for each in json.loads(text)["findings"]}
    found = {each for each, finding in findings.items() if finding["verdict"] == "found"}
    assert expected <= found, {each: findings[each] for each in expected - found}
    assert code == (1 if expected else 0), {each: findings[each] for each in found}
    assert findings["L106"]["looked_at"] == "1 fold, each alone in a new process"
