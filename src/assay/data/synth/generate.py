"""Posts from clauses: evidence, what looks like it, and everything around it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
import polars as pl

from assay.data.splits import folds
from assay.errors import InputError

POSTS = 1477
POSITIVES = (328, 124, 44, 102, 35, 124, 311, 59, 166, 86)  # of POSTS, by criterion
MEDIAN, SPREAD, LONGEST = 9.0, 0.76, 90  # of a log-normal number of sentences: mean about 12
DECOYS = ("negated", "resolved", "other", "hypothetical", "figurative")
IMPLICIT = 0.3  # share of evidence that names no symptom
JOINED = 0.25  # share of evidence sentences that speak of two criteria at once
DOUBTFUL = 0.35  # share of sentences such as 'it gets worse' that count where they follow evidence
TURNED = 0.5  # share of decoys that are evidence in a frame which turns it into something else
KEPT = 0.3  # share of evidence in a frame of like words which does not
SLIPS = 0.15  # share of sentences with two letters exchanged
MISSED = 0.04  # share of further evidence sentences that the invented annotators overlooked


@dataclass(frozen=True, slots=True)
class Synthetic:
    """Tables of a corpus: sentences, criteria, gold and folds."""

    sentences: pl.DataFrame
    criteria: pl.DataFrame
    gold: pl.DataFrame
    folds: pl.DataFrame


def synthesise(posts: int = POSTS, seed: int = 0) -> Synthetic:
    """A corpus of so many posts; at 1,477 it has the contracts' number of positives each."""
    if posts < 20:
        raise InputError.of("synth", f"posts is {posts}", "expected 20 or more")
    bank = tomllib.loads(
        files("assay.data.synth").joinpath("phrases.toml").read_text(encoding="utf-8")
    )
    names = [key for key in bank if key.startswith("A.")]
    draw = np.random.default_rng(seed)
    wanted = [max(1, round(count * posts / POSTS)) for count in POSITIVES]
    ids = [f"synthetic-{number:04d}" for number in range(1, posts + 1)]
    has = _positives(draw, posts, wanted)
    sentences, gold = [], []
    for at, post in enumerate(ids):
        writer = _Writer(draw, bank, [names[c] for c in np.flatnonzero(has[at])], names)
        for place, (text, marks) in enumerate(writer.post()):
            uid = f"{post}_{place}"
            sentences.append((post, uid, place, text))
            gold += [(post, name, uid) for name in sorted(marks, key=names.index)]
    fold = folds(ids, 5, seed)
    return Synthetic(
        pl.DataFrame(sentences, ["post_id", "sent_uid", "position", "text"], orient="row"),
        pl.DataFrame(
            [(name, bank[name]["text"], bank[name]["name"]) for name in names],
            ["criterion_id", "text", "name"],
            orient="row",
        ),
        pl.DataFrame(gold, ["post_id", "criterion_id", "sent_uid"], orient="row"),
        pl.DataFrame({"post_id": list(fold), "fold": list(fold.values())}),
    )


def _positives(draw: np.random.Generator, posts: int, wanted: Sequence[int]) -> Any:
    """Which criteria each post has evidence for: exact numbers, and some posts have many.

    A post's weight is skewed, so that criteria come together more often than by chance.
    """
    burden = draw.gamma(0.8, size=posts) + 0.02
    has = np.zeros((posts, len(wanted)), dtype=bool)
    for criterion, count in enumerate(wanted):
        chosen = draw.choice(posts, size=count, replace=False, p=burden / burden.sum())
        has[chosen, criterion] = True
    return has


class _Writer:
    """One post: a list of sentences, each with the criteria that it is evidence for."""

    def __init__(
        self,
        draw: np.random.Generator,
        bank: dict[str, Any],
        present: list[str],
        names: list[str],
    ) -> None:
        self.draw, self.bank, self.present, self.names = draw, bank, present, names
        self.plain = bool(draw.random() < 0.2)  # writes without capitals

    def post(self) -> list[tuple[str, set[str]]]:
        """Evidence, decoys and filler in one order."""
        length = int(np.clip(round(np.exp(self.draw.normal(np.log(MEDIAN), SPREAD))), 1, LONGEST))
        blocks = [*self._evidence()]
        while sum(map(len, blocks)) < length:
            blocks.append([self._other()])
        order = self.draw.permutation(len(blocks))
        return [sentence for at in order for sentence in blocks[at]]

    def _evidence(self) -> list[list[tuple[str, set[str]]]]:
        """Blocks of evidence: at least one sentence for each criterion that is present."""
        open_, blocks = list(self.present), []
        while open_:
            name = open_.pop(0)
            marks = {name}
            clause = self._clause(name)
            if open_ and self.draw.random() < JOINED:
                second = open_.pop(0)
                clause += self._pick(self.bank["frame"]["joins"]) + self._clause(second)
                marks.add(second)
            if self.draw.random() < KEPT:
                clause = self._framed("keeping", clause)
            block = [(self._sentence(clause), marks)]
            if self.draw.random() < 0.2:
                follows = self._sentence(self._pick(self.bank["filler"]["ambiguous"]))
                block.append((follows, marks if self.draw.random() < DOUBTFUL else set()))
            blocks.append(block)
        for name in self.present:
            for _ in range(int(self.draw.poisson(0.5))):
                marks = set() if self.draw.random() < MISSED else {name}
                blocks.append([(self._sentence(self._clause(name)), marks)])
        return blocks

    def _other(self) -> tuple[str, set[str]]:
        """A sentence that is evidence for nothing, though many of them look like it."""
        chance = self.draw.random()
        if chance < 0.3:
            # A decoy speaks of any criterion, more often of one that the post does have.
            near = self.present and self.draw.random() < 0.3
            name = self._pick(self.present if near else self.names)
            if self.draw.random() < TURNED:
                return self._sentence(self._framed("turning", self._clause(name))), set()
            kind = self._pick([kind for kind in DECOYS if self.bank[name].get(kind)])
            return self._sentence(self._pick(self.bank[name][kind])), set()
        kind = "ambiguous" if chance < 0.36 else "clauses"
        return self._sentence(self._pick(self.bank["filler"][kind])), set()

    def _clause(self, name: str) -> str:
        kind = "implicit" if self.draw.random() < IMPLICIT else "evidence"
        return self._pick(self.bank[name][kind])

    def _framed(self, kind: str, clause: str) -> str:
        return self._pick(self.bank["frame"][kind]).replace("{}", clause)

    def _sentence(self, clause: str) -> str:
        """Opener, clause and tail with their slots filled; a capital and a full stop."""
        frame = self.bank["frame"]
        tail = self._pick(frame["tails"])
        if "{" in clause and "{" in tail:
            tail = ""  # one statement of time or place is enough
        text = self._pick(frame["openers"]) + clause + tail
        text = re.sub(r"\{(\w+)\}", lambda match: self._pick(self.bank["slots"][match[1]]), text)
        text = text.replace("for since", "since").replace("in since", "since")
        if self.draw.random() < SLIPS and len(text) > 12:
            at = int(self.draw.integers(1, len(text) - 2))
            text = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        end = self._pick([".", ".", ".", ".", "...", "!", " .", ""])
        return (text.lower() if self.plain else text[0].upper() + text[1:]) + end

    def _pick(self, options: Sequence[str]) -> str:
        return options[int(self.draw.integers(len(options)))]
