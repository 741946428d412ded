"""Pages that are not generated are short, complete and without broken links."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import assay

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import links  # noqa: E402
import messages  # noqa: E402

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= 900


def test_the_readme_names_both_commands_for_contributors() -> None:
    assert "make demo" in README
    assert "make test" in README


def test_no_link_is_broken() -> None:
    assert [fault for path in links.pages() for fault in links.broken(path)] == []


def test_a_broken_link_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "ROOT", tmp_path)
    (tmp_path / "a.md").write_text("# One\n\n[b](b.md#two-words) [c](c.md) [d](b.md#three) `[e](e.md)`\n")
    (tmp_path / "b.md").write_text("# Two `words`\n")
    assert [each.split(": ")[1:] for each in links.broken(tmp_path / "a.md")] == [
        ["c.md", "no such file"],
        ["b.md#three", "no such heading"],
    ]


def test_every_page_of_llms_txt_exists() -> None:
    text = (ROOT / "llms.txt").read_text(encoding="utf-8")
    listed = re.findall(r"\]\(([^)]+)\)", text)
    assert [each for each in listed if not (ROOT / each).exists()] == []
    pages = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")}
    assert pages <= set(listed)


def listed(problem: str) -> bool:
    """Return whether the catalogue has a message, with any values in it."""
    causes = [cause for area in messages.messages().values() for cause in area]
    return any(
        re.fullmatch(".*".join(map(re.escape, messages.VALUE.split(cause))), problem, re.DOTALL)
        for cause in causes
        if len(messages.VALUE.sub("", cause)) > 6
    )


def test_the_catalogue_has_messages_that_users_get(tmp_path: Path) -> None:
    calls = (
        lambda: assay.read_corpus(tmp_path / "nothing"),
        lambda: assay.evaluate({"q": {"d": float("nan")}}, qrels={"q": {"d": 1}}),
        lambda: assay.evaluate({"q": {"d": 1.0}}, qrels={"q": {"d": 1}}, measures=["no_such_measure"]),
        lambda: assay.contract("no/such"),
        lambda: assay.folds(["p"], 1),
    )
    for call in calls:
        with pytest.raises(assay.AssayError) as raised:
            call()
        faults = getattr(raised.value, "faults", ())
        for text in [fault.problem for fault in faults] or [str(raised.value).partition("; ")[0]]:
            assert listed(text), text


def test_the_catalogue_lacks_what_nobody_says() -> None:
    assert not listed("bananas ripen slowly in winter")
