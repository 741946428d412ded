"""With the originals every forgery is found; without them exactly the documented classes pass."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from assay.verification.recompute.verify import verify
from tests.command import exit_code
from tests.forgery.forger import CLASSES, NEEDS_ORIGINALS, NEVER_FOUND, judged
from tests.forgery.scene import Scene, scene

pytestmark = pytest.mark.full
FORGED = 50
NAMES = sorted(CLASSES)
PAGE = Path(__file__).parents[2] / "docs" / "bundle.md"


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return scene(tmp_path_factory.mktemp("honest"), seed=7)


def test_an_honest_bundle_passes_with_and_without_the_originals(honest: Scene) -> None:
    made = verify(honest.bundle, draws=2, originals=honest.originals)
    assert made.ok, [each.to_dict() for each in made.failed[:5]]
    assert made.recomputed_from == "inputs"
    alone = verify(honest.bundle, draws=2)
    assert alone.ok
    assert alone.recomputed_from == "bundle"


@pytest.mark.parametrize("number", range(FORGED))
def test_forgeries(honest: Scene, tmp_path: Path, number: int) -> None:
    """`python -m tests.forgery.run` does the same for 1,000 of them."""
    name = NAMES[number % len(NAMES)]
    found = judged(honest, name, Random(1000 + number), tmp_path)
    assert found.with_originals, name
    assert found.alone == (name not in NEEDS_ORIGINALS), name


@pytest.mark.parametrize("name", sorted(NEVER_FOUND))
def test_what_nothing_can_tell(honest: Scene, tmp_path: Path, name: str) -> None:
    found = judged(honest, name, Random(1), tmp_path)
    assert not found.with_originals
    assert not found.alone


def test_the_documented_classes_are_these() -> None:
    """Each row of the tables in docs/bundle.md names its classes."""
    text = PAGE.read_text(encoding="utf-8")
    section = text.partition("### What a forger can still do")[2].partition("\n## ")[0]
    never = section.partition("Nothing can tell")[2]
    with_originals = section.removesuffix(never)
    classes = re.compile(r"^\| .* \| (`[a-z_`, ]+`) \|$", re.MULTILINE)

    def named(part: str) -> set[str]:
        return {name for row in classes.findall(part) for name in re.findall(r"[a-z_]+", row)}

    assert named(with_originals) == set(NEEDS_ORIGINALS)
    assert named(never) == set(NEVER_FOUND)


def unwrapped(text: str) -> str:
    """Return what a command printed as one line: sentences break at words."""
    return " ".join(text.split())


def test_the_gate_says_what_it_rests_on(
    honest: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = NEEDS_ORIGINALS["labels"](honest, Random(2), tmp_path)
    files = ["--predictions", honest.folder / "predictions", "--corpus", honest.folder / "corpus"]

    def gate(*options: object) -> tuple[dict[str, str], str, dict[str, object]]:
        exit_code(monkeypatch, "gate", bundle, *options)
        document = json.loads((bundle / "gate.json").read_text())
        found = {each["name"]: each["verdict"] for each in document["checks"]}
        return found, capsys.readouterr().out, document

    found, text, document = gate()
    assert found["recomputation"] == "pass"  # forged labels, and a clean record
    assert document["recomputed_from"] == "bundle"
    assert unwrapped(text).endswith(". Numbers were recomputed from the bundle's own tables only.")
    assert "forged labels, scores or probabilities cannot be detected (docs/bundle.md)" in unwrapped(text)
    found, text, document = gate(*files)
    assert found["recomputation"] == "fail"
    assert document["recomputed_from"] == "inputs"
    assert unwrapped(text).endswith(". Numbers were recomputed from the original inputs.")


def test_verify_and_gate_take_the_same_originals(honest: Scene, call: Callable[..., tuple[int, str]]) -> None:
    files = ("--predictions", honest.folder / "predictions", "--corpus", honest.folder / "corpus")
    known = ("--contract", "assay/1", "--system", "predictions")
    code, text = call("verify", honest.bundle, *files, *known)
    assert code == 0
    assert "recomputed from the original inputs" in unwrapped(text)
    for options, place in (
        (("--contract", "paper/1.0"), "expected/contract"),
        (("--system", "rival"), "expected/system"),
        (("--tune-reused",), "expected/tune_reused"),
    ):
        code, text = call("verify", honest.bundle, *options)
        assert code == 1
        assert place in unwrapped(text)
        code, text = call("gate", honest.bundle, *options)
        assert code == 1
        assert place in unwrapped(text)


@pytest.fixture
def call(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    def run(*arguments: object) -> tuple[int, str]:
        code = exit_code(monkeypatch, *arguments)
        return code, capsys.readouterr().out

    return run
