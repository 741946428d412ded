"""Completion by the real shells: bash always, zsh and fish where they are installed."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli.app import COMMANDS
from tests.terminal.conftest import Call

SHELLS = [shell for shell in ("bash", "zsh", "fish") if shell == "bash" or shutil.which(shell)]
TRIED = {
    "bash": "source {script}; COMP_LINE={line}; COMP_POINT=${{#COMP_LINE}}; _assay; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
    "zsh": "source {script}; COMP_LINE={line}; COMP_POINT=${{#COMP_LINE}}; () {{ emulate -L sh; _assay }}; "
    "print -rl -- $COMPREPLY",
    "fish": "source {script}; complete -C {line} | string split -f1 \\t",
}
OPTIONS = {"bash": ["--norc", "--noprofile"], "zsh": ["-f"], "fish": ["--no-config"]}


@pytest.fixture(scope="module", params=SHELLS)
def shell(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    name = request.param
    script = tmp_path_factory.mktemp("completion") / "script"
    done = subprocess.run(
        [sys.executable, "-m", "assay.cli", "completion", name], capture_output=True, text=True, check=True
    )
    script.write_text(done.stdout, encoding="utf-8")
    return name, script


def completed(shell: tuple[str, Path], line: str) -> list[str]:
    """Return what the shell offers for a line, as whole words."""
    name, script = shell
    command = TRIED[name].format(script=script, line=shlex.quote(line))
    done = subprocess.run(
        [name, *OPTIONS[name], "-c", command], capture_output=True, text=True, check=False, cwd=script.parent
    )
    assert done.stderr == ""
    found = [word for word in done.stdout.splitlines() if word]
    typed = line.rpartition(" ")[2]
    if name == "bash":  # gives what follows the last of readline's separators
        lead = typed[: max((typed.rfind(mark) for mark in ":=@"), default=-1) + 1]
        return [lead + word for word in found]
    return [word for word in found if word.startswith(typed)]  # zsh filters later


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("assay ", set(COMMANDS)),
        ("assay ev", {"evaluate"}),
        ("assay contract ", {"list", "show", "diff"}),
        ("assay contract show pa", {"paper/1.0"}),
        ("assay compare --correction ", {"holm", "bh"}),
        ("assay evaluate p --corpus c --contract tre", {"trec_eval/10"}),
        ("assay evaluate -m auro", {"auroc"}),
        ("assay evaluate -m ndcg@1", {"ndcg@1", "ndcg@10"}),
        ("assay evaluate -m auroc,map@1", {"auroc,map@1", "auroc,map@10"}),
        ("assay show --wor", {"--worst"}),
        ("assay verify --pre", {"--predictions"}),
    ],
)
def test_words(shell: tuple[str, Path], line: str, wanted: set[str]) -> None:
    assert wanted <= set(completed(shell, line))
    if " -" not in line and shell[0] != "fish":
        assert set(completed(shell, line)) == wanted


def test_files(shell: tuple[str, Path]) -> None:
    """Bash and zsh complete files themselves where the function offers nothing."""
    (shell[1].parent / "qrels.txt").write_text("")
    offered = completed(shell, "assay evaluate --qrels qre")
    assert offered == (["qrels.txt"] if shell[0] == "fish" else [])
    assert "complete -o default" in shell[1].read_text() or shell[0] == "fish"


def test_an_unknown_shell(call: Call) -> None:
    code, out, error = call("completion", "tcsh")
    assert (code, out) == (2, "")
    assert "expected bash, zsh, fish" in error
