"""Messages of the library name parameters; the command line shows its options instead."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command import exit_code

import assay
from assay.cli.flags import FLAGS, PARAMETER, with_flags

SOURCE = Path(assay.__file__).parent
OPTION = re.compile(r"(?<![\w-])--[a-z]")
COMMANDS = {  # texts that name a whole command, or are a page that explains the commands
    "data/synthetic/synthetic_folder.py",
    "report/page/reporting_checklist.py",
    "verification/recompute/verify.py",
}


def texts(file: Path) -> Iterator[str]:
    """Give the string constants of a file that are not docstrings."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def library() -> Iterator[tuple[str, str]]:
    for file in sorted(SOURCE.rglob("*.py")):
        name = file.relative_to(SOURCE).as_posix()
        if not name.startswith("cli/") and name not in COMMANDS:
            yield from ((name, text) for text in texts(file))


def test_the_library_names_no_option() -> None:
    assert [(name, text) for name, text in library() if OPTION.search(text)] == []


def test_every_parameter_with_a_value_has_an_option() -> None:
    named = {found[1] for _, text in library() for found in PARAMETER.finditer(text) if found[2]}
    assert named
    assert named <= FLAGS.keys()


def test_every_option_exists() -> None:
    files = [file for file in (SOURCE / "cli").rglob("*.py") if file.name != "flags.py"]
    written = " ".join(text for file in files for text in texts(file))
    missing = [flag for flag in FLAGS.values() if not re.search(rf"{flag}(?![\w-])", written)]
    assert missing == []


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("`by`: no column is called 'x'", "--by: no column is called 'x'"),
        ("a new folder, or `overwrite=True`", "a new folder, or --overwrite"),
        ("`split='NAME'` selects one", "--split NAME selects one"),
        ("`assay metric list` names all; `node` is a stage", None),
    ],
)
def test_parameters_become_options(message: str, shown: str | None) -> None:
    assert with_flags(message) == (message if shown is None else shown)


def test_one_message_two_ways(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "table.csv"
    table.write_text("id,label,p\n1,1,0.9\n2,0,0.2\n")
    expected = "table.csv: no column 'prob'; name the probability column with {} (columns: id, label, p)"
    with pytest.raises(assay.InputError) as raised:
        assay.evaluate(assay.read_decisions(table))
    assert str(raised.value) == expected.format("`prob`")
    assert exit_code(monkeypatch, "evaluate", "--decisions", table) == 2
    assert expected.format("--prob") in capsys.readouterr().err


def test_every_exception_is_in_one_file() -> None:
    elsewhere = []
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and file != SOURCE / "errors.py":
                bases = [ast.unparse(base) for base in node.bases]
                if any(base.endswith(("Error", "Exception")) for base in bases):
                    elsewhere.append((file.name, node.name))
    assert elsewhere == []
