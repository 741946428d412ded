"""The command line: thin. It parses, calls and prints; heavy modules are loaded when needed."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Run a command. Bad input is one sentence on stderr and exit code 2, never a traceback."""
    gc.disable()  # a command ends soon; collecting while modules load costs a tenth of its start
    from assay.cli.app import run  # noqa: PLC0415 # `assay.cli` itself must stay free to import
    from assay.errors import AssayError  # noqa: PLC0415

    # A command is one process of work on small matrices: waking a thread for each core costs more
    # than it saves. Whoever sets the variable decides.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        run(sys.argv[1:])
        gc.freeze()  # nothing is left to do: the interpreter need not look for cycles as it ends
    except AssayError as error:
        for line in str(error).splitlines():
            print(f"assay: {line}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
