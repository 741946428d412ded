"""Text of posts is sensitive: no output and no error ever shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Ran, World


def hidden(world: World, ran: Ran, code: int) -> None:
    assert ran.code == code, ran.err
    assert world.secret not in ran.out
    assert world.secret not in ran.err
    for path in world.outputs.iterdir():
        assert world.secret.encode() not in path.read_bytes()


def sentences(world: World) -> list[str]:
    _, corpus = world.write()
    return (corpus / "sentences.csv").read_text().splitlines()


def replaced(world: World, lines: list[str]) -> Ran:
    world.raw["sentences.csv"] = ("\n".join(lines) + "\n").encode()
    return world.evaluate("--per-query", str(world.outputs / "per_query.csv"))


def test_the_marker_is_there(world: World) -> None:
    assert sum(world.secret in line for line in sentences(world)) == 12


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
@pytest.mark.parametrize("options", [(), ("--json",), ("--by", "post_id", "--by", "criterion_id")])
def test_good_input(world: World, ending: str, options: tuple[str, ...]) -> None:
    target = world.outputs / "per_query.csv"
    ran = world.evaluate(*options, "--per-query", str(target), ending=ending)
    hidden(world, ran, 0)
    assert target.exists()


def test_a_file_without_a_header(world: World) -> None:
    hidden(world, replaced(world, sentences(world)[1:]), 2)


def test_a_header_of_other_names(world: World) -> None:
    lines = sentences(world)
    lines[0] = "post,uid,position,text"
    hidden(world, replaced(world, lines), 2)


def test_commas_that_are_not_quoted(world: World) -> None:
    lines = [line.replace('"', "") for line in sentences(world)]
    hidden(world, replaced(world, lines), 2)


@pytest.mark.parametrize("quote", ['"', 'x"', '""'])
def test_quotes_that_are_not_closed(world: World, quote: str) -> None:
    lines = sentences(world)
    lines[4] = f"p1,p1s4,3,{quote}{world.secret} goes on"
    ran = replaced(world, lines)
    assert world.secret not in ran.out + ran.err
    assert ran.code in (0, 2)
    assert (ran.err != "") == (ran.code == 2)


def test_bytes_that_are_not_utf8(world: World) -> None:
    lines = sentences(world)
    world.raw["sentences.csv"] = "\n".join(lines).encode().replace(b"SECRET of p2", b"SECRET \xff")
    hidden(world, world.evaluate(), 2)


def test_a_sentence_twice(world: World) -> None:
    world.add("sentences")
    hidden(world, world.evaluate(), 2)


def test_a_sentence_without_an_id(world: World) -> None:
    world.put("sentences", 3, sent_uid="")
    hidden(world, world.evaluate(), 2)


def test_a_damaged_parquet(world: World) -> None:
    _, corpus = world.write(".parquet")
    data = (corpus / "sentences.parquet").read_bytes()
    world.raw["sentences.parquet"] = data[:-20]
    hidden(world, world.evaluate(ending=".parquet"), 2)


def test_no_column_is_called_text(world: World) -> None:
    hidden(world, world.evaluate("--by", "text"), 2)


def test_text_beside_candidates_and_gold(world: World) -> None:
    """Systems often write the sentence next to its score."""
    for name in ("candidates", "gold"):
        for row in world.table(name):
            row["text"] = world.secret
    hidden(world, world.evaluate("--per-query", str(world.outputs / "per_query.csv")), 0)
    world.put("candidates", 4, score="nan")
    world.put("gold", 4, sent_uid="zz")
    hidden(world.copy(), world.evaluate(), 2)


def test_in_a_process_of_its_own(world: World, command: Callable[..., Ran]) -> None:
    world.put("candidates", 4, sent_uid="p2s1")
    predictions, corpus = world.write()
    hidden(world, command("evaluate", predictions, "--corpus", corpus), 2)
