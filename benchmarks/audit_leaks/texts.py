"""Copied posts: one post becomes a copy of a post in another fold, more or less disguised."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from audit_leaks.registry import plant
from audit_leaks.worlds import Draws, World


def texts_of(world: World, post: str) -> list[str]:
    return world.corpus["sentences"].filter(pl.col("post_id") == post)["text"].to_list()


def two_posts(world: World, draws: Draws, *, apart: bool = True) -> tuple[str, str]:
    """Return two posts of different folds (or of the same), the first with 10 sentences or more."""
    sizes = world.corpus["sentences"].group_by("post_id", maintain_order=True).len()
    long = sizes.filter(pl.col("len") >= 10)["post_id"].to_list()
    fold = dict(world.corpus["folds"].iter_rows())
    one = long[int(draws.integers(len(long)))]
    rest = [post for post in fold if post != one and (fold[post] != fold[one]) is apart]
    return one, rest[int(draws.integers(len(rest)))]


def give_texts(world: World, post: str, texts: list[str]) -> None:
    """Give the post these sentences; its gold stays at the remaining places."""
    rows = world.corpus["sentences"]
    many = len(texts)
    fresh = pl.DataFrame(
        [(post, f"{post}.{at}", at, text) for at, text in enumerate(texts)], schema=rows.schema, orient="row"
    )
    world.corpus["sentences"] = pl.concat([rows.filter(pl.col("post_id") != post), fresh])
    place = pl.col("sent_uid").str.split(".").list.last().cast(pl.Int64)
    kept = (pl.col("post_id") != post) | (place < many)
    world.corpus["gold"] = world.corpus["gold"].filter(kept)
    world.predictions["candidates"] = world.predictions["candidates"].filter(kept)


def copied(world: World, draws: Draws, disguise: Callable[[str], str], *, apart: bool = True) -> None:
    one, other = two_posts(world, draws, apart=apart)
    give_texts(world, other, [disguise(text) for text in texts_of(world, one)])


def changed_words(text: str, many: int, draws: Draws) -> str:
    words = text.split()
    for at in draws.choice(len(words), size=min(many, len(words)), replace=False):
        words[at] = f"other{draws.integers(10**6)}"
    return " ".join(words)


@plant(
    "texts",
    "copy with words changed in each sentence",
    s1=("1 word", 1),
    s2=("2 words", 2),
    s3=("4 words", 4),
)
def words_changed(world: World, many: int, draws: Draws) -> None:
    copied(world, draws, lambda text: changed_words(text, many, draws))


@plant(
    "texts",
    "copy with words dropped from each sentence",
    s1=("1 word", 1),
    s2=("2 words", 2),
    s3=("4 words", 4),
)
def words_dropped(world: World, many: int, draws: Draws) -> None:
    def drop(text: str) -> str:
        words = text.split()
        gone = set(draws.choice(len(words), size=min(many, len(words) - 1), replace=False).tolist())
        return " ".join(word for at, word in enumerate(words) if at not in gone)

    copied(world, draws, drop)


@plant(
    "texts",
    "copy with words swapped inside each sentence",
    s1=("1 pair", 1),
    s2=("3 pairs", 3),
    s3=("all words", 0),
)
def words_swapped(world: World, pairs: int, draws: Draws) -> None:
    def swap(text: str) -> str:
        words = text.split()
        if not pairs:
            return " ".join(draws.permutation(words).tolist())
        for at in draws.integers(0, max(len(words) - 1, 1), size=pairs):
            words[at : at + 2] = words[at : at + 2][::-1]
        return " ".join(words)

    copied(world, draws, swap)


@plant(
    "texts",
    "copy with zero-width characters",
    s1=("1 per sentence", "sentence"),
    s2=("1 per word", "word"),
    s3=("between all letters", "letter"),
)
def zero_width(world: World, where: str, draws: Draws) -> None:
    def hide(text: str) -> str:
        if where == "letter":
            return "\u200b".join(text)
        words = text.split()
        chosen = range(len(words)) if where == "word" else [int(draws.integers(len(words)))]
        for at in chosen:
            words[at] = words[at][:2] + "\u200d" + words[at][2:]
        return " ".join(words)

    copied(world, draws, hide)


LOOKALIKES = str.maketrans("aceopxyi", "асеорхуі")


@plant(
    "texts",
    "copy with letters of another script",
    s1=("1 per sentence", "sentence"),
    s2=("1 per word", "word"),
    s3=("all that look alike", "letter"),
)
def homoglyphs(world: World, where: str, draws: Draws) -> None:
    def hide(text: str) -> str:
        if where == "letter":
            return text.translate(LOOKALIKES)
        words = text.split()
        chosen = range(len(words)) if where == "word" else [int(draws.integers(len(words)))]
        for at in chosen:
            for letter in "aeoi":
                if letter in words[at]:
                    words[at] = words[at].replace(letter, letter.translate(LOOKALIKES), 1)
                    break
        return " ".join(words)

    copied(world, draws, hide)


@plant(
    "texts",
    "copy in another notation",
    s1=("case, punctuation", "case"),
    s2=("full-width letters", "wide"),
    s3=("accents on vowels", "accent"),
)
def notation(world: World, how: str, draws: Draws) -> None:
    wide = {at: at + 0xFEE0 for at in range(0x21, 0x7F)}
    made = {
        "case": lambda text: "** " + text.upper().replace(" ", ", ") + " !!",
        "wide": lambda text: text.translate(wide),
        "accent": lambda text: "".join(c + "\u0301" if c in "aeiou" else c for c in text),
    }
    copied(world, draws, made[how])


@plant(
    "texts",
    "copy with its sentences in another order",
    s1=("reversed", 0),
    s2=("shuffled", -1),
    s3=("shuffled, 1 word changed", 1),
)
def reordered(world: World, many: int, draws: Draws) -> None:
    one, other = two_posts(world, draws)
    texts = texts_of(world, one)
    order = np.arange(len(texts))[::-1] if many == 0 else draws.permutation(len(texts))
    give_texts(world, other, [changed_words(texts[at], max(many, 0), draws) for at in order])


@plant(
    "texts",
    "copy cut into other sentences",
    s1=("joined in pairs", 0),
    s2=("pieces of 7 words", 7),
    s3=("pieces of 7 words, 1 changed", -7),
)
def recut(world: World, size: int, draws: Draws) -> None:
    one, other = two_posts(world, draws)
    texts = texts_of(world, one)
    words = " ".join(texts).split()
    if not size:
        parts = [" ".join(texts[at : at + 2]) for at in range(0, len(texts), 2)]
    else:
        step = abs(size)
        parts = [" ".join(words[at : at + step]) for at in range(3 - step, len(words), step) if at >= 0]
        parts = [" ".join(words[:3]), *parts]
    give_texts(world, other, [changed_words(part, int(size < 0), draws) for part in parts])


@plant(
    "texts",
    "part of a post copied into another",
    s1=("three quarters", 0.75),
    s2=("half", 0.5),
    s3=("one sentence", 0.0),
)
def part_copied(world: World, share: float, draws: Draws) -> None:
    one, other = two_posts(world, draws)
    source, own = texts_of(world, one), texts_of(world, other)
    many = max(1, round(share * len(source)))
    start = int(draws.integers(len(source) - many + 1))
    give_texts(world, other, [*own[:3], *source[start : start + many], *own[3:]])


@plant(
    "texts",
    "copy among the sentences of a longer post",
    s1=("as long again", 1),
    s2=("twice as long", 2),
    s3=("4 times as long", 4),
)
def padded(world: World, times: int, draws: Draws) -> None:
    one, other = two_posts(world, draws)
    source = texts_of(world, one)
    rest = world.corpus["sentences"].filter(~pl.col("post_id").is_in([one, other]))
    some = rest.sample(times * len(source), seed=int(draws.integers(10**6)))["text"].to_list()
    fill = [changed_words(text, 9, draws) for text in some]
    give_texts(world, other, [*fill[: len(fill) // 2], *source, *fill[len(fill) // 2 :]])


@plant("texts", "paraphrase", s1=("20% of the words", 0.2), s2=("50%", 0.5), s3=("all of them", 1.0))
def paraphrase(world: World, share: float, draws: Draws) -> None:
    copied(world, draws, lambda text: changed_words(text, round(share * len(text.split())), draws))


@plant(
    "texts", "copy inside one fold", s1=("unchanged", 0), s2=("1 word changed", 1), s3=("4 words changed", 4)
)
def inside(world: World, many: int, draws: Draws) -> None:
    copied(world, draws, lambda text: changed_words(text, many, draws), apart=False)
