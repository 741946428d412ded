"""Checks as JUnit XML, the format of test results that CI systems show."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from assay.errors import printable

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


def junit_xml(suite: str, class_name: str, cases: Iterable[tuple[str, str, str]]) -> str:
    """Return a test suite of (name, outcome, reason), with the reason where a case did not pass."""
    listed = list(cases)
    lines = []
    for name, outcome, reason in listed:
        head = f"<testcase classname={_attribute(class_name)} name={_attribute(name)}"
        if outcome == FAILED:
            body = escape(printable(reason))
            lines.append(f"{head}><failure message={_attribute(reason)}>{body}</failure></testcase>")
        elif outcome == SKIPPED:
            lines.append(f"{head}><skipped message={_attribute(reason)}/></testcase>")
        else:
            lines.append(f"{head}/>")
    counts = {each: sum(outcome == each for _, outcome, _ in listed) for each in (FAILED, SKIPPED)}
    head = f'<testsuite name={_attribute(suite)} tests="{len(listed)}"'
    head += f' failures="{counts[FAILED]}" skipped="{counts[SKIPPED]}" errors="0">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *lines, "</testsuite>"]) + "\n"


def _attribute(text: str) -> str:
    """Return a quoted attribute; XML has no way to write most control characters."""
    return quoteattr(printable(text))
