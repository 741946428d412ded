"""A skip is said with its reason, and is a failure in CI."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import pytest_runtest_makereport


def reported(**more: Any) -> pytest.TestReport:
    """What the hook makes of a test that asked to be skipped."""
    with pytest.raises(pytest.skip.Exception) as asked:
        pytest.skip("no teapot")
    item: Any = SimpleNamespace(nodeid="test_it.py::test_it")
    call: Any = SimpleNamespace(excinfo=asked)
    made = pytest.TestReport("it", ("it", 0, "it"), {}, "skipped", None, "call", **more)
    hook = pytest_runtest_makereport(item, call)
    next(hook)
    with pytest.raises(StopIteration) as ended:
        hook.send(made)
    report = ended.value.value
    assert isinstance(report, pytest.TestReport)
    return report


def test_a_skip_stays_one_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "")
    assert reported().skipped


def test_a_skip_fails_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    report = reported()
    assert report.failed
    assert "no teapot; CI must not skip this" in str(report.longrepr)


def test_a_known_failure_is_no_skip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    assert reported(wasxfail="known").skipped


def test_reasons_are_shown(pytestconfig: pytest.Config) -> None:
    assert "s" in pytestconfig.getoption("reportchars")
