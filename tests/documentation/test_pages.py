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
import message_sites  # noqa: E402
import message_texts  # noqa: E402
import messages  # noqa: E402

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= 900


def test_the_readme_names_both_commands_for_contributors() -> None:
    assert "make demo" in README
    assert "make test" in README


def test_no_link_is_broken() -> None:
    assert [fault for path in links.pages() for fault in links.broken(path)] == []


def test_every_import_in_an_example_works() -> None:
    found = []
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for block in re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL):
            lines = re.findall(r"^(?:>>> )?(from assay[\w.]* import (?:\w|, )+)$", block, re.MULTILINE)
            found += [(path.name, line) for line in lines]
    assert len(found) >= 3
    for _, line in found:
        exec(line, {})


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
        re.fullmatch(".*".join(map(re.escape, message_texts.VALUE.split(cause))), problem, re.DOTALL)
        for cause in causes
        if len(message_texts.VALUE.sub("", cause)) > 6
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


def test_every_place_that_makes_an_error_is_in_the_catalogue() -> None:
    """The exceptions have the texts of errors that were raised elsewhere: in an executor, in a configuration."""
    silent = {
        site.path.relative_to(message_texts.SOURCE / "assay").as_posix()
        for site in message_sites.sites()
        if not site.told and not site.passed_on
    }
    assert silent == {"engines/spark_jobs.py", "experiment/ablation/configurations.py"}


def test_every_error_that_is_raised_is_looked_at() -> None:
    """A call of an error's class that no rule reads would be missing without a trace."""
    lines = {(site.path, site.line) for site in message_sites.sites()}
    lists = re.compile(
        r"MissingExtraError\.of|(InputError|FileError)\((\[|\*?[\w.]*(faults|wrong|found|empty_ids|problems|_moved)\b|$)"
    )
    missed = []
    for path in message_texts.sources():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            found = re.search(r"raise (\w+Error)(\.of)?\(", line)
            ours = found is not None and issubclass(getattr(assay.errors, found[1], int), assay.AssayError)
            if ours and (path, number) not in lines and not lists.search(line):
                missed.append(f"{path.name}:{number}: {line.strip()}")
    assert missed == []


def test_every_message_says_what_to_do() -> None:
    without = [
        cause for area in messages.messages().values() for cause, remedy in area.items() if not remedy.strip()
    ]
    assert without == []


@pytest.mark.parametrize(
    ("cause", "remedy"),
    [  # a text in a variable, in a list, from a function, from a caller; each next to its own remedy
        ("has no predicted_evidence", "expected a list of [page, line] with a text and a whole number"),
        ("targets: ‹name› is not among the measures", "remove the target, or add the measure"),
        ("has no post, criterion or evidence", "expected post, criterion, sentences (or text) and evidence"),
        ("has neither a question nor an id", "expected one of them"),
        ("source ‹source› has no weights in safetensors", "expected a model in the safetensors format"),
    ],
)
def test_a_message_has_its_own_remedy(cause: str, remedy: str) -> None:
    assert [area[cause] for area in messages.messages().values() if cause in area] == [remedy]


def test_the_catalogue_lacks_what_nobody_says() -> None:
    assert not listed("bananas ripen slowly in winter")
