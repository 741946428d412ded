"""`assay audit CONFIG` with stages of a user: those that cheat are found, an honest one is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.pipeline.conftest import toy

pytestmark = pytest.mark.full  # every case runs a pipeline about fifteen times

Call = Callable[..., tuple[int, str]]
PLAN = """
corpus = "corpus"
stages = ["lexical", "matching", "scorer", "cheating:Mine"]
[protocol]
folds = 3
crossfit = 2
[scorer]
iterations = 20
[matching]
trees = 8
gate_trees = 8
folds = 2
"""
HEAD = """
import csv, sys
from pathlib import Path
import numpy as np
import assay

GOLD = Path(__file__).parent / "corpus" / "gold.csv"


def rows():
    with open(GOLD) as file:
        return {(row["post_id"], row["criterion_id"], row["sent_uid"]) for row in csv.DictReader(file)}


def quiet_rows():
    import polars
    return set(polars.read_csv(GOLD).select("post_id", "criterion_id", "sent_uid").iter_rows())


def marks(view, gold):
    layout = view.layout
    pairs = zip(layout.pair_query, layout.pair_criterion, layout.place[layout.pair_sentence])
    named = ((view.posts[layout.query_post[q]], view.criteria[c], p) for q, c, p in pairs)
    return np.array([float((post, c, f"{post}_{p}") in gold) for post, c, p in named])


class Honest(assay.Stage):
    name = "mine"
    needs = ("score",)
    gives = ("mine",)
    ranks = "mine"
    learns = assay.Learns.TRAIN

    def fit(self, labelled):
        self.seen = set(labelled.view.posts)
        self.mean = float(labelled.view.column("score")[labelled.gold].mean()) if labelled.gold.any() else 0.0

    def more(self, view):
        return 0.0

    def apply(self, view):
        return {"mine": view.column("score") - self.mean + self.more(view)}
"""
STAGES = {
    "honest": ("class Mine(Honest): pass", set()),
    "opens gold in apply": (
        "class Mine(Honest):\n    def more(self, view): return 5 * marks(view, rows())",
        {"L103", "L104", "L107"},
    ),
    "opens gold when imported": (
        "KNOWN = rows()\nclass Mine(Honest):\n    def more(self, view): return 5 * marks(view, KNOWN)",
        {"L103", "L104", "L107"},
    ),
    "opens gold only for posts that fit did not see": (
        "class Mine(Honest):\n"
        "    def more(self, view):\n"
        "        fresh = not self.seen & set(view.posts)\n"
        "        return 5 * marks(view, rows()) if fresh else 0.0",
        {"L103", "L104", "L107"},
    ),
    "opens gold with a library in Rust": (
        "class Mine(Honest):\n    def more(self, view): return 5 * marks(view, quiet_rows())",
        {"L103", "L104"},
    ),
    "remembers labels of other folds": (
        "MEMORY = {}\n"
        "class Mine(Honest):\n"
        "    def fit(self, labelled):\n"
        "        super().fit(labelled)\n"
        "        for post, gold in zip(*self.told(labelled)): MEMORY[post] = gold\n"
        "    def told(self, labelled):\n"
        "        layout = labelled.view.layout\n"
        "        keys = [(labelled.view.posts[layout.query_post[q]], layout.query_criterion[q], p)\n"
        "                for q, p in zip(layout.pair_query, layout.place[layout.pair_sentence])]\n"
        "        return keys, labelled.gold.astype(float)\n"
        "    def more(self, view):\n"
        "        layout = view.layout\n"
        "        keys = [(view.posts[layout.query_post[q]], layout.query_criterion[q], p)\n"
        "                for q, p in zip(layout.pair_query, layout.place[layout.pair_sentence])]\n"
        "        return 5 * np.array([MEMORY.get(key, 0.0) for key in keys])",
        {"L106"},
    ),
    "finds gold in the call stack": (
        "class Mine(Honest):\n"
        "    def more(self, view):\n"
        "        at = sys._getframe()\n"
        "        while 'job' not in at.f_locals: at = at.f_back\n"
        "        gold = at.f_locals['job'].corpus.gold.frame.select('post_id', 'criterion_id', 'sent_uid')\n"
        "        return 5 * marks(view, set(gold.iter_rows()))",
        {"L102"},
    ),
}


def write_plan(folder: Path, code: str, plan: str = PLAN) -> Path:
    """Write corpus, module and configuration; return the path of the latter.

    Every fifth judgement names another sentence of its post: no honest ranking can be perfect.
    """
    (folder / "corpus").mkdir()
    tables = toy(90)
    wrong = pl.int_range(pl.len()) % 5 == 0
    moved = pl.format("{}_{}", "post_id", (pl.col("sent_uid").str.slice(-1).cast(int) + 1) % 4)
    uid = pl.when(wrong).then(moved).otherwise("sent_uid")
    tables["gold"] = tables["gold"].with_columns(sent_uid=uid)
    for name, table in tables.items():
        table.write_csv(folder / "corpus" / f"{name}.csv")
    (folder / "cheating.py").write_text(HEAD + code + "\n")
    path = folder / "mine.toml"
    path.write_text(plan)
    return path


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    return lambda code: write_plan(tmp_path, code)


def audited(call_cli: Call, path: Path) -> tuple[int, dict[str, Any]]:
    code, text = call_cli("audit", str(path), "--shuffles", "2", "--json")
    return code, {each["code"]: each for each in json.loads(text)["findings"]}


SLOW = ("opens gold when imported", "opens gold with a library in Rust", "finds gold in the call stack")


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.full) if each in SLOW else each for each in STAGES]
)
def test_a_stage_is_found_if_it_cheats(written: Callable[[str], Path], call_cli: Call, name: str) -> None:
    body, expected = STAGES[name]
    code, findings = audited(call_cli, written(body))
    found = {each for each, finding in findings.items() if finding["verdict"] == "found"}
    assert expected <= found, {each: findings[each] for each in expected - found}
    assert code == (1 if expected else 0), {each: findings[each] for each in found}


def test_the_sentence_names_stage_and_file(written: Callable[[str], Path], call_cli: Call) -> None:
    _, findings = audited(call_cli, written(STAGES["opens gold in apply"][0]))
    assert findings["L107"]["why"] == "stage 'mine' opened corpus/gold.csv in apply, the gold of the corpus"


def test_other_files_are_only_flagged(written: Callable[[str], Path], call_cli: Call) -> None:
    path = written(
        "class Mine(Honest):\n    def more(self, view):\n"
        "        Path(__file__).with_name('log.txt').write_text('applied'); return 0.0"
    )
    code, findings = audited(call_cli, path)
    assert code == 0
    assert findings["L107"]["verdict"] == "flagged"
    assert "stage 'mine' wrote" in findings["L107"]["why"]
    assert "log.txt in apply" in findings["L107"]["why"]


def test_our_own_stages_need_no_further_run(written: Callable[[str], Path], call_cli: Call) -> None:
    path = written("")
    path.write_text(PLAN.replace(', "cheating:Mine"', ""))
    code, findings = audited(call_cli, path)
    assert code == 0
    assert {findings[each]["verdict"] for each in ("L106", "L107")} == {"not applicable"}
