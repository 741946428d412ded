"""A command ends its process at once, and loses nothing by that."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import atexit, sys, threading
from assay.cli.__main__ import start
atexit.register(print, "registered")
threading.Thread(target=lambda: (threading.main_thread().join(), print("thread"))).start()
sys.argv = ["assay", "contract", "list"]
start()
print("not reached")
"""


def test_output_threads_and_registered_functions_are_waited_for() -> None:
    """Stdout is a pipe, so that output is in a buffer when the command has ended."""
    ended = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert any("trec_eval/10" in line for line in lines[:-2])
    assert lines[-2:] == ["thread", "registered"]
