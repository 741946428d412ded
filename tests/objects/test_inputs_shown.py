"""Inputs in a notebook or a traceback: short, and without the texts of posts."""

from __future__ import annotations

import json
from pathlib import Path

import assay

SECRET = "my neighbour Zebulon"


def test_no_text_is_shown(tmp_path: Path) -> None:
    """A log as the last line of a notebook's cell printed its questions and chunks."""
    path = tmp_path / "log.jsonl"
    row = {
        "question": f"Who is {SECRET}?",
        "contexts": [f"{SECRET} is here."],
        "gold": [f"{SECRET} is here."],
    }
    path.write_text(json.dumps(row | {"odd\u202e\x1b": 1}))
    log = assay.read_log(path)
    assert repr(log).startswith("Log('log.jsonl', 1 questions)\nfields: question = question")
    labels = assay.read_decisions([{"label": 1, "prob": 0.5, "name": SECRET}])
    assert "Table('decisions', 1 rows, 'columns: label, prob, name')" in repr(labels)
    qrels = {f"q{at}": {f"d{each}": 1 for each in range(100)} for at in range(100)}
    judged = assay.read_trec(qrels, qrels)
    assert "qrels=Qrels('qrels', 100 queries), run=Run('run')" in repr(judged)
    for each in (log, log.corpus, log.predictions, labels, judged):
        assert SECRET not in repr(each)
        assert "\x1b" not in repr(each)
        assert len(repr(each)) < 1200
