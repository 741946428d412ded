"""Every public function is documented with its parameters, what it returns, and an example that runs."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import assay

FUNCTIONS = [name for name in assay.__all__ if inspect.isfunction(getattr(assay, name))]
CLASSES = [name for name in assay.__all__ if inspect.isclass(getattr(assay, name))]
SECTION = re.compile(r"^(\w+)\n-{3,}$", re.M)


def sections(name: str) -> dict[str, str]:
    parts = SECTION.split(inspect.getdoc(getattr(assay, name)) or "")
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_documents_exactly_its_parameters(name: str) -> None:
    heads = re.findall(r"^(\S.*)$", sections(name)["Parameters"], re.M)
    documented = [each.strip().lstrip("*") for head in heads for each in head.split(",")]
    assert documented == list(inspect.signature(getattr(assay, name)).parameters)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_says_what_it_returns_and_has_an_example(name: str) -> None:
    assert {"Returns", "Examples"} <= set(sections(name))


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_has_a_docstring_of_its_own(name: str) -> None:
    text = getattr(assay, name).__doc__
    assert text
    assert not text.startswith(f"{name}(")  # what a dataclass without a docstring gets


@pytest.mark.parametrize("name", [*FUNCTIONS, *CLASSES])
def test_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    value: Any = getattr(assay, name)
    runner = doctest.DocTestRunner(verbose=False)
    finder = doctest.DocTestFinder(recurse=False)
    for each in finder.find(value, name, globs={"assay": assay}):
        runner.run(each)
    assert runner.failures == 0
