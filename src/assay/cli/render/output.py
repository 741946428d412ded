"""What a command prints: text that a terminal shows and does not obey."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from assay.cli.flags import with_flags
from assay.errors import UNPRINTABLE, printable

if TYPE_CHECKING:
    from assay.text_table import TextTable


def say(text: str) -> None:
    """Print a message on stderr, each of its lines after `assay:`."""
    for line in text.split("\n"):
        remark(line)


def remark(text: str) -> None:
    """Print one remark on stderr, of one or more lines; it is lost where nobody can read it."""
    with suppress(OSError):  # stderr may be closed, or on a full disk
        print("assay:", printable(text, keep="\n"), file=sys.stderr)


def show(*parts: TextTable | str, more: str = " A wider window or --json has them.") -> None:
    """Print tables and notes that fit the window; `more` says where columns without room are."""
    from assay.cli.render.colours import style
    from assay.text_table import page
    from assay.text_wrapping import window_width

    texts = [with_flags(part) if isinstance(part, str) else part for part in parts]
    text = page(texts, window_width(), style(sys.stdout), more) + "\n"
    with naming_stdout():
        sys.stdout.write(text)


def print_json(value: Any) -> None:
    """Print one JSON document on one line."""
    print_json_text(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")


def print_json_text(text: str) -> None:
    """Print JSON; characters that a terminal would obey are written as escapes of JSON."""
    with naming_stdout():
        sys.stdout.write(terminal_json(text))


def terminal_json(text: str) -> str:
    """Return the same document without characters that a terminal would obey."""
    return UNPRINTABLE.sub(lambda found: found[0] if found[0] == "\n" else _json_escape(found[0]), text)


def _json_escape(mark: str) -> str:
    return json.dumps(mark)[1:-1] if mark > "\uffff" else f"\\u{ord(mark):04x}"


@contextmanager
def naming_stdout() -> Iterator[None]:
    """Say of an error that it is one of stdout: the system names no file for it."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        from assay.files.os_errors import failed

        stop_printing()
        raise failed("written", "stdout", error) from None


def stop_printing() -> None:
    """Let what is left in the buffer of stdout go nowhere, or the interpreter would complain."""
    with suppress(OSError, ValueError):  # a stdout that is not a file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def open_closed_streams() -> None:
    """Let standard streams that the caller has closed lead nowhere, as after `>&-`.

    Otherwise the next file or thread pool would get their numbers, and what is printed.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            with suppress(OSError):
                _occupy(number)
            setattr(sys, name, open(os.devnull, "w" if number else "r", encoding="utf-8"))  # noqa: SIM115


def _occupy(number: int) -> None:
    """Open nothing under the number of a stream, for this process and those that it starts."""
    try:
        os.fstat(number)
    except OSError:
        handle = os.open(os.devnull, os.O_RDWR)
        os.dup2(handle, number) if handle != number else os.set_inheritable(number, True)


def escape_undecodable() -> None:
    """Let both streams write what their encoding lacks as an escape, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
