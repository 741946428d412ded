"""What a command prints: text that a terminal shows and does not obey."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
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
    sys.stdout.write(page(texts, window_width(), style(sys.stdout), more) + "\n")


def print_json(value: Any) -> None:
    """Print one JSON document on one line."""
    print_json_text(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")


def print_json_text(text: str) -> None:
    """Print JSON; characters that a terminal would obey are written as escapes of JSON."""
    sys.stdout.write(terminal_json(text))


def terminal_json(text: str) -> str:
    """Return the same document without characters that a terminal would obey."""
    return UNPRINTABLE.sub(lambda found: found[0] if found[0] == "\n" else _json_escape(found[0]), text)


def _json_escape(mark: str) -> str:
    return json.dumps(mark)[1:-1] if mark > "\uffff" else f"\\u{ord(mark):04x}"


def escape_undecodable() -> None:
    """Let both streams write what their encoding lacks as an escape, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
