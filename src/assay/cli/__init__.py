"""The command line: thin. It parses, calls and prints; heavy modules are loaded when needed."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Run a command.

    Bad input is one sentence on stderr and exit code 2; so is an error of the operating system,
    such as a full disk. SIGINT exits with 130, SIGTERM with 143; both are one line. Whatever nobody
    foresaw is one sentence, a report file and exit code 3. There is never a traceback.
    """
    gc.disable()  # a command ends soon; collecting while modules load costs a tenth of its start
    # A command is one process of work on small matrices: waking a thread for each core costs more
    # than it saves. Whoever sets the variable decides.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        _run()
        gc.freeze()  # nothing is left to do: the interpreter need not look for cycles as it ends
    except KeyboardInterrupt:
        _end(130, "interrupted")


def _run() -> None:
    from assay.cli.app import run  # noqa: PLC0415 # `assay.cli` itself must stay free to import
    from assay.cli.ending import (  # noqa: PLC0415
        Terminated,
        sentence,
        signals_end_the_command,
        stop_printing,
    )
    from assay.cli.output import escape_undecodable  # noqa: PLC0415
    from assay.data.readers.panics import hide_panics  # noqa: PLC0415
    from assay.errors import AssayError  # noqa: PLC0415

    escape_undecodable()
    hide_panics()
    try:
        with signals_end_the_command():
            try:
                run(sys.argv[1:])
            except SystemExit:  # of a check that failed, or after --help
                sys.stdout.flush()
                raise
            sys.stdout.flush()
    except AssayError as error:
        _end(error.exit_code, str(error))
    except BrokenPipeError:  # whoever read the output has seen enough
        stop_printing()
    except OSError as error:
        _end(2, str(sentence(error)))
    except Terminated:
        _end(143, "terminated")
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of Polars is no Exception
        from assay.cli.crash import report_crash  # noqa: PLC0415

        sys.exit(report_crash(error))


def _end(code: int, text: str) -> None:
    from assay.cli.output import say  # noqa: PLC0415

    say(text)
    sys.exit(code)
