"""The command line: commands/ parses and calls the library, render/ prints what it returns."""

from __future__ import annotations

import sys

from assay.cli.process_tuning import (
    collect_no_garbage,
    has_option,
    hold_little_memory,
    keep_freed_memory,
    keep_freed_tables,
    leave_garbage,
    load_polars_when_used,
    only_scores_a_run,
    return_freed_tables,
    use_one_blas_thread,
)


def main() -> None:
    """Run a command.

    Bad input and errors of the operating system, such as a full disk, are one sentence on stderr
    and exit code 2. SIGINT exits with 130, SIGTERM with 143, with one line each. An unforeseen
    error is one sentence, a report file and exit code 3. There is never a traceback.
    """
    collect_no_garbage()
    use_one_blas_thread()
    arguments = sys.argv[1:]
    if has_option(arguments, "--memory"):
        hold_little_memory()
    else:
        keep_freed_memory()
        if only_scores_a_run(arguments):
            keep_freed_tables()
        elif has_option(arguments, "-o", "--output"):
            return_freed_tables()
    load_polars_when_used()
    try:
        from assay.cli.ending import signals_end_the_command

        with signals_end_the_command():
            try:
                _run()
            except KeyboardInterrupt:  # here a second one does not disturb the line that is printed
                _end(130, "interrupted")
        leave_garbage()
    except KeyboardInterrupt:
        _end(130, "interrupted")


def _run() -> None:
    from assay.cli.app import run
    from assay.cli.ending import sentence
    from assay.cli.flags import with_flags
    from assay.cli.render.output import escape_undecodable, naming_stdout, open_closed_streams, stop_printing
    from assay.data.readers.polars_panics import hide_panics
    from assay.errors import AssayError, Terminated

    open_closed_streams()
    escape_undecodable()
    hide_panics()
    try:
        try:
            run(sys.argv[1:])
        except SystemExit:  # of a check that failed, or after --help
            with naming_stdout():
                sys.stdout.flush()
            raise
        with naming_stdout():
            sys.stdout.flush()
    except AssayError as error:
        _end(error.exit_code, with_flags(str(error)))
    except BrokenPipeError:  # whoever read the output has seen enough
        stop_printing()
    except OSError as error:
        _end(2, str(sentence(error)))
    except Terminated:
        _end(143, "terminated")
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of Polars is no Exception
        from assay.cli.crash import report_crash

        sys.exit(report_crash(error))


def _end(code: int, text: str) -> None:
    from assay.cli.render.output import say

    say(text)
    sys.exit(code)
