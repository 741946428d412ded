"""`python -m assay.cli`, and the command `assay`."""

from assay.cli import main
from assay.cli.process_tuning import end_at_once


def start() -> None:
    """Run a command, and end the process."""
    main()
    end_at_once()


if __name__ == "__main__":
    start()
