"""Names that differ from a known one in blanks, hyphens, underscores or in how the cut-off is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

AT = re.compile(r"(.+?)[\s_-]+at[\s_-]+([0-9]+)", re.IGNORECASE)
NUMBER_LAST = re.compile(r"(.*[A-Za-z])[\s_-]?([0-9]+)")
KEYWORDS_LAST = re.compile(r"([^(@]+)@([0-9]+)(\(.*\))")
LONGEST = 60


def squeezed(name: str) -> str:
    """Return the letters and digits of a name in lower case: `Hit-Rate`, `hit rate` and `hitrate` are one."""
    return re.sub(r"[\s_-]+", "", name).lower()


def respelled(text: str, known: Iterable[str]) -> str | None:
    """Return the known name that a text differs from in spelling only; None where none or several do.

    `known` are names without cut-off. `recall_at_10` is recall@10, `Hit-Rate@5` is hit_rate@5.
    """
    plain = re.sub(r"\s*([@(),=])\s*", r"\1", text.strip())
    at, turned = AT.fullmatch(plain), KEYWORDS_LAST.fullmatch(plain)
    if at is not None:
        plain = f"{at[1]}@{at[2]}"
    elif turned is not None:
        plain = f"{turned[1]}{turned[3]}@{turned[2]}"
    base = re.split(r"[@(:]", plain, maxsplit=1)[0]
    if not base or len(base) > LONGEST:
        return None
    names = list(known)
    alike = [each for each in names if squeezed(each) == squeezed(base)]
    if base not in names and len({each.lower() for each in alike}) == 1:
        plain = alike[0] + plain[len(base) :]
    return plain if plain != text and alike else None


def with_cut(text: str) -> Iterator[str]:
    """Yield `ndcg@10` for `ndcg10`: a guess, because the digits may belong to the name."""
    found = NUMBER_LAST.fullmatch(text.strip())
    if found is not None and "@" not in text:
        yield f"{found[1]}@{int(found[2])}" if len(found[2]) < 10 else text
