"""`python -m assay.cli`, and the command `assay`."""

import signal

from assay.cli import main
from assay.cli.process_tuning import end_at_once


def start() -> None:
    """Run a command, and end the process."""
    try:
        main()
    finally:  # all is done: a signal would only print a traceback or leave semaphores
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
    end_at_once()


if __name__ == "__main__":
    start()
