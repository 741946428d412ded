"""From files to one number: `ndcg@10` of a TREC run calls code in few files, which design.md lists."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

MOST_FILES = 35
DESIGN = Path(__file__).parent.parent / "docs" / "design.md"
TRACE = """
import json, sys
from importlib.util import find_spec
from pathlib import Path

home = str(Path(find_spec("assay").origin).parent) + "/"
called, imported = {}, {}


def note(frame, event, _):
    code = frame.f_code
    if event != "call" or code.co_name == "<module>" or not code.co_filename.startswith(home):
        return
    file = code.co_filename.removeprefix(home)
    importing = False
    while frame is not None and not importing:
        importing = frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(home)
        frame = frame.f_back
    if not importing:
        called[file] = code.co_name
    elif not file.startswith("metrics/") or file.startswith("metrics/core/"):
        imported[file] = code.co_name


sys.setprofile(note)
import assay

judged = assay.read_trec(sys.argv[1], sys.argv[2])
value = assay.evaluate(judged, measures=["ndcg@10"])["ndcg@10"].value
sys.setprofile(None)
print(json.dumps({"value": value, "called": list(called), "imported": list(imported)}))
"""
"""What counts is every function call and every class body in `src/assay`, in a new process that
imports each module when it is first needed. Module bodies do not count, nor what the files of other
measures run when they register. At the commit before the layout was changed, this gave 60 files."""


def traced(folder: Path) -> tuple[list[str], list[str]]:
    qrels, run = folder / "qrels.txt", folder / "run.txt"
    qrels.write_text("q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n", encoding="utf-8")
    run.write_text("q1 Q0 a 1 3 r\nq1 Q0 b 2 2 r\nq2 Q0 d 1 2 r\nq2 Q0 c 2 1 r\n", encoding="utf-8")
    command = [sys.executable, "-c", TRACE, str(qrels), str(run)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(ended.stdout)
    assert 0.8 < found["value"] < 0.82  # (1 + 1/log2(3)) / 2
    called = found["called"]
    return called, sorted(set(found["imported"]) - set(called))


def test_the_path_of_one_number_is_short_and_described(tmp_path: Path) -> None:
    called, only_imported = traced(tmp_path)
    path = [*called, *only_imported]
    assert len(path) <= MOST_FILES, "\n".join(path)
    text = DESIGN.read_text(encoding="utf-8")
    section = text.partition("## From files to one number\n")[2].partition("\n## ")[0]
    named = list(dict.fromkeys(re.findall(r"`([a-z_/]+\.py)`", section)))
    assert named == path, "files in the order of their first call:\n" + "\n".join(path)
