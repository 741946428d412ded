"""Write an open corpus: `generate_open.py FOLDER QUERIES CANDIDATES [--per-post N]`.

Every question is asked once, of a post with CANDIDATES sentences. Words follow Zipf's law, so most
word pairs are rare, as in real texts. About half of the questions take their words from one sentence,
which is the evidence; the others take them from several sentences of the post and from elsewhere.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

SEED = 20261203
VOCABULARY = 60_000
SHORTEST, LONGEST = 6, 18  # words of a sentence
CONSONANTS, VOWELS = "bcdfghjklmnprstvz", "aeiou"
ASKING = ("which", "who", "when", "where", "how")
LIMITS = (40, 3_000, 30_000)  # words of at most one, two and three syllables
AT_ONCE = 5_000  # posts


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("queries", type=int)
    parser.add_argument("candidates", type=int)
    parser.add_argument("--per-post", type=int, default=1, help="questions asked of a post")
    options = parser.parse_args()
    write(options.folder, options.queries, options.candidates, options.per_post)


def write(folder: Path, queries: int, candidates: int, per_post: int = 1) -> None:
    """Write the tables of a corpus as Parquet files."""
    draw = np.random.default_rng((SEED, queries, candidates, per_post))
    words = vocabulary(draw)
    rarity = 1 / np.arange(1, len(words) + 1) ** 1.05
    edges = np.cumsum(rarity / rarity.sum())
    folder.mkdir(parents=True, exist_ok=True)
    parts: dict[str, list[pl.DataFrame]] = {}
    posts = -(-queries // per_post)
    for first in range(0, posts, AT_ONCE):
        numbers = np.arange(first, min(first + AT_ONCE, posts))
        for name, rows in _posts(draw, words, edges, numbers, candidates, per_post, queries).items():
            parts.setdefault(name, []).append(rows)
    for name, made in parts.items():
        pl.concat(made).write_parquet(folder / f"{name}.parquet")


def vocabulary(draw: np.random.Generator) -> np.ndarray:
    """Return distinct words of one to four syllables; frequent words are short."""
    syllables = np.array([one + other for one in CONSONANTS for other in VOWELS])
    made: dict[str, None] = {}
    while len(made) < VOCABULARY:
        length = 1 + int(np.searchsorted(LIMITS, len(made), side="right"))
        made["".join(draw.choice(syllables, length))] = None
    return np.array(list(made), dtype=object)


def _posts(
    draw: np.random.Generator,
    words: np.ndarray,
    edges: np.ndarray,
    numbers: np.ndarray,
    candidates: int,
    per_post: int,
    queries: int,
) -> dict[str, pl.DataFrame]:
    def drawn(count: int) -> np.ndarray:
        return np.minimum(np.searchsorted(edges, draw.random(count)), len(words) - 1)

    rows: dict[str, list[tuple[object, ...]]] = {
        name: [] for name in ("sentences", "criteria", "queries", "gold")
    }
    for number in numbers.tolist():
        post = f"p{number:06d}"
        lengths = draw.integers(SHORTEST, LONGEST + 1, candidates)
        said = np.split(drawn(int(lengths.sum())), np.cumsum(lengths)[:-1])
        rows["sentences"] += [(post, f"{post}_{at}", at, " ".join(words[ids])) for at, ids in enumerate(said)]
        for query in range(number * per_post, min((number + 1) * per_post, queries)):
            at, size = int(draw.integers(candidates)), int(draw.integers(3, 7))
            if draw.random() < 0.5:
                chosen = draw.choice(said[at], size, replace=False)
                rows["gold"].append((post, f"q{query:06d}", f"{post}_{at}"))
            else:
                others = draw.choice(np.concatenate(said), size - 2)
                chosen = np.concatenate([draw.choice(said[at], 1), others, drawn(1)])
            text = f"{ASKING[int(draw.integers(len(ASKING)))]} {' '.join(words[chosen])}?"
            rows["criteria"].append((f"q{query:06d}", text))
            rows["queries"].append((post, f"q{query:06d}"))
    columns: dict[str, dict[str, Any]] = {
        "sentences": {"post_id": pl.String, "sent_uid": pl.String, "position": pl.Int64, "text": pl.String},
        "criteria": {"criterion_id": pl.String, "text": pl.String},
        "queries": {"post_id": pl.String, "criterion_id": pl.String},
        "gold": {"post_id": pl.String, "criterion_id": pl.String, "sent_uid": pl.String},
    }
    return {name: pl.DataFrame(rows[name], schema=schema, orient="row") for name, schema in columns.items()}


if __name__ == "__main__":
    main()
