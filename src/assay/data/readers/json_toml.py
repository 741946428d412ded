"""JSON and TOML: parsed with every way that they can be unusable named as a fault of the input."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.data.readers.limits import JSON_BYTES, NESTING, TOML_BYTES
from assay.data.readers.text_blocks import check_utf8, read_all
from assay.errors import Fault, InputError, shown
from assay.files.input_file import InputFile

SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(path: Path) -> Any:
    """Return the document of a JSON file."""
    data = read_all(InputFile(path), JSON_BYTES, "JSON", "expected a smaller file")
    check_utf8(data, 1, path.name)
    return parse_json(data.decode(), path.name)


def read_toml(path: Path) -> dict[str, Any]:
    """Return the document of a TOML file."""
    return parse_toml(read_toml_text(path), path.name)


def read_toml_text(path: Path) -> str:
    """Return the text of a TOML file."""
    data = read_all(InputFile(path), TOML_BYTES, "TOML", "expected a configuration or a contract")
    check_utf8(data, 1, path.name)
    return data.decode()


def parse_json(text: str, source: str, place: str = "") -> Any:
    """Return the document of a JSON text; NaN and Infinity are not JSON."""

    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is not a JSON number")

    found = _parsed(lambda: json.loads(text, parse_constant=refuse), "JSON", source, place)
    lone = SURROGATE.search(text) is not None  # half of a pair of escapes is no character
    _check(found, source, place, surrogates=lone)
    return found


class RecordParser:
    """Parses JSON that holds data: a repeated key is a fault, since it would hide a value.

    NaN and Infinity pass, so that they are reported with the row and the column they are in.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._repeated: dict[str, None] = {}
        self._decoder = json.JSONDecoder(object_pairs_hook=self._object)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            self._repeated |= dict.fromkeys(key for key, many in counts.items() if many > 1)
        return made

    def parse(self, text: str, place: str = "") -> Any:
        """Return the document of a text."""
        self._repeated = {}
        found = _parsed(lambda: self._decoder.decode(text), "JSON", self.source, place)
        _check(found, self.source, place, surrogates=SURROGATE.search(text) is not None)
        if self._repeated:
            expected = "expected each key once in an object"
            raise InputError(
                Fault(self.source, place, f"has the key {shown(key)} twice in an object", expected)
                for key in self._repeated
            )
        return found


def parse_toml(text: str, source: str) -> dict[str, Any]:
    """Return the document of a TOML text."""
    found: dict[str, Any] = _parsed(lambda: tomllib.loads(text), "TOML", source, "")
    _check(found, source, "", surrogates=False)
    return found


def _parsed(parse: Callable[[], Any], kind: str, source: str, place: str) -> Any:
    try:
        return parse()
    except json.JSONDecodeError as error:
        problem = f"is not JSON ({error.msg})"
        place = place or f"line {error.lineno}"
    except RecursionError:
        problem = f"is nested more than {NESTING} levels deep"
    except ValueError as error:
        digits = "integer string conversion" in str(error)
        why = "a whole number has thousands of digits" if digits else str(error)
        problem = f"is not {kind} ({why})"
    raise InputError.of(source, problem, f"expected {kind}", place) from None


def _check(document: Any, source: str, place: str, *, surrogates: bool) -> None:
    """Refuse what later steps could not walk through or write down."""
    level = [document]
    for _ in range(NESTING + 1):
        below: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                below += each.values()
                if surrogates:
                    below += each
            elif isinstance(each, list):
                below += each
            elif surrogates and isinstance(each, str) and not _is_text(each):
                problem = "a text has half of a surrogate pair, which is not a character"
                raise InputError.of(source, problem, "expected Unicode text", place)
        if not below:
            return
        level = below
    problem = f"is nested more than {NESTING} levels deep"
    raise InputError.of(source, problem, "expected a flatter document", place)


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
