"""A command of two processes, each of which would take a minute."""

from __future__ import annotations

import json
import os
import signal
import time

from assay.pipeline.protocol.workers import Said, in_processes


def work(_: int, said: Said) -> int:
    """Say which process this is, then be slow."""
    said(str(os.getpid()), "begun", 0.0)
    time.sleep(60)
    return 0


def run(_: list[str]) -> None:
    """In place of the command line."""
    numbers: list[str] = []

    def heard(number: str, *_: object) -> None:
        numbers.append(number)
        if len(set(numbers)) == 2:
            print(json.dumps(sorted(set(numbers))), flush=True)
            time.sleep(60)

    def here(_: int, said: Said) -> int:
        while True:  # each message asks the queue for those of the others
            said(str(os.getpid()), "begun", 0.0)
            time.sleep(0.05)

    in_processes([1, 2], work, 2, heard, here=here)


def blocked_signals(_: int, said: Said) -> list[int]:
    """Return the signals that do not reach this process."""
    said(str(os.getpid()), "begun", 0.0)
    return sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
