"""`python -m assay.cli`, and the command `assay`."""

import signal

from assay.cli import main
from assay.cli.process_tuning import end_at_once


def start() -> None:
    """Run a command, and end the process."""
    try:
        main()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done: it would only print a traceback
    end_at_once()


if __name__ == "__main__":
    start()
