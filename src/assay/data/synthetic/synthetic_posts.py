"""Build posts from clauses: evidence, decoys that resemble it, and filler."""

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
from assay.errors import InputError, shown

POSTS = 1477
POSITIVES = (328, 124, 44, 102, 35, 124, 311, 59, 166, 86)  # of POSTS, by criterion
MEDIAN, SPREAD, LONGEST = 8.4, 0.8, 90  # log-normal: median 9 sentences, mean 12
DECOYS = ("negated", "resolved", "other", "hypothetical", "figurative")
IMPLICIT = 0.4  # share of evidence that names no symptom
BORDERLINE = 0.25  # share of evidence that is a weak statement
AGREED = 0.5  # share of further weak statements that the simulated annotators marked as evidence
JOINED = 0.25  # share of evidence sentences about two criteria at once
DOUBTFUL = 0.35  # share of sentences such as 'it gets worse' that count if they follow evidence
DECOY, WEAK, VAGUE = 0.38, 0.1, 0.08  # shares of other sentences; the rest is filler
NEAR = 0.4  # share of decoys about a criterion that the post has evidence for, if it has any
DOUBLE = 0.4  # share of decoys, and of evidence, in an ambiguous frame
TURNED = 0.25  # share of decoys that are evidence in a frame that negates or attributes it
QUOTED = 0.15  # share of decoys that are evidence verbatim, attributed by the sentence before
KEPT = 0.25  # share of evidence in a similar frame that does not change its meaning
OPENED, TAILED = 0.25, 0.2  # shares of sentences with a few words before or after
SLIPS = 0.08  # share of sentences with a typo: two letters of a word swapped
MISSED = 0.15  # share of further evidence sentences that the simulated annotators overlooked


@dataclass(frozen=True, slots=True)
class Synthetic:
    """Tables of a corpus: sentences, criteria, gold and folds."""

    sentences: pl.DataFrame
    criteria: pl.DataFrame
    gold: pl.DataFrame
    folds: pl.DataFrame


MOST_POSTS = 1_000_000


def synthesise(posts: int = POSTS, seed: int = 0) -> Synthetic:
    """Return a synthetic corpus; with 1,477 posts it has the contracts' number of positives."""
    if not 20 <= posts <= MOST_POSTS:
        problem, expected = f"posts is {shown(posts)}", f"expected 20 to {MOST_POSTS:,}"
        raise InputError.of("synth", problem, expected)
    if seed < 0:
        raise InputError.of("synth", f"seed is {shown(seed)}", "expected a whole number from 0")
    bank = tomllib.loads(files("assay.data.synthetic").joinpath("phrases.toml").read_text(encoding="utf-8"))
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
    """Return the criteria each post has evidence for: exact numbers, and some posts have many.

    A post's weight is skewed, so that criteria co-occur more often than by chance.
    """
    burden = draw.gamma(0.8, size=posts) + 0.02
    has = np.zeros((posts, len(wanted)), dtype=bool)
    for criterion, count in enumerate(wanted):
        chosen = draw.choice(posts, size=count, replace=False, p=burden / burden.sum())
        has[chosen, criterion] = True
    return has


Block = list[tuple[str, set[str]]]


class _Writer:
    """One post: a list of sentences, each with the criteria it is evidence for."""

    def __init__(
        self, draw: np.random.Generator, bank: dict[str, Any], present: list[str], names: list[str]
    ) -> None:
        self.draw, self.bank, self.present, self.names = draw, bank, present, names
        self.plain = self._chance(0.2)  # writes without capitals
        self.said: set[str] = set()  # clauses already used in the post

    def post(self) -> Block:
        """Add a first and a last sentence if there is room, and the rest in any order between."""
        length = int(np.clip(round(np.exp(self.draw.normal(np.log(MEDIAN), SPREAD))), 1, LONGEST))
        blocks = self._evidence()
        filler = self.bank["filler"]
        room = length - sum(map(len, blocks))
        first: list[Block] = [[(self._sentence(self._pick(filler["opening"])), set())]] if room > 1 else []
        last: list[Block] = [[(self._sentence(self._pick(filler["closing"])), set())]] if room > 2 else []
        while sum(map(len, (*blocks, *first, *last))) < length:
            blocks.append(self._other())
        order = self.draw.permutation(len(blocks))
        ordered = [*first, *(blocks[at] for at in order), *last]
        return [sentence for block in ordered for sentence in block]

    def _evidence(self) -> list[Block]:
        """Return blocks of evidence: at least one sentence per criterion that is present."""
        open_, blocks = list(self.present), []
        while open_:
            name = open_.pop(0)
            marks = {name}
            weak = self._chance(BORDERLINE)
            clause = self._pick(self.bank[name]["borderline"]) if weak else self._clause(name)
            if open_ and self._chance(JOINED):
                second = open_.pop(0)
                clause += self._pick(self.bank["frame"]["joins"]) + self._clause(second)
                marks.add(second)
            chance = self.draw.random()
            if chance < KEPT + DOUBLE:
                clause = self._framed("keeping" if chance < KEPT else "neutral", clause)
            block: Block = [(self._dressed(clause), marks)]
            if self._chance(0.2):
                follows = self._sentence(self._pick(self.bank["filler"]["ambiguous"]))
                block.append((follows, marks if self._chance(DOUBTFUL) else set()))
            blocks.append(block)
        for name in self.present:
            for _ in range(int(self.draw.poisson(0.5))):
                if self._chance(BORDERLINE):
                    blocks.append(self._weak(name, marked=True))
                    continue
                marks = set() if self._chance(MISSED) else {name}
                blocks.append([(self._dressed(self._clause(name)), marks)])
        return blocks

    def _other(self) -> Block:
        """Return what is evidence for nothing, though much of it resembles evidence."""
        chance = self.draw.random()
        if chance < DECOY:
            return self._decoy()
        if chance < DECOY + WEAK:
            name = self._pick(self.names)
            return self._weak(name, marked=name in self.present)
        kind = "ambiguous" if chance < DECOY + WEAK + VAGUE else "clauses"
        return [(self._sentence(self._opened(self._pick(self.bank["filler"][kind]))), set())]

    def _decoy(self) -> Block:
        """Return a decoy about any criterion, more often one that the post has evidence for."""
        near = self.present and self._chance(NEAR)
        name = self._pick(self.present if near else self.names)
        chance = self.draw.random()
        if chance < TURNED:
            return [(self._sentence(self._framed("turning", self._clause(name))), set())]
        if chance < TURNED + DOUBLE:
            return [(self._sentence(self._framed("neutral", self._clause(name))), set())]
        if chance < TURNED + DOUBLE + QUOTED:
            frame = self.bank["frame"]
            quoted: Block = [(self._sentence(self._pick(frame["quoting"])), set())]
            if self._chance(0.5):
                quoted.append((self._sentence(self._pick(self.bank["filler"]["clauses"])), set()))
            quoted.append((self._dressed(self._clause(name)), set()))
            if self._chance(0.4):
                quoted.append((self._sentence(self._pick(frame["ending"])), set()))
            return quoted
        kind = self._pick([kind for kind in DECOYS if self.bank[name].get(kind)])
        return [(self._sentence(self._opened(self._pick(self.bank[name][kind]))), set())]

    def _weak(self, name: str, *, marked: bool) -> Block:
        """Return a weak statement; if the post has the criterion, some annotators mark it."""
        marks = {name} if marked and self._chance(AGREED) else set()
        return [(self._sentence(self._opened(self._pick(self.bank[name]["borderline"]))), marks)]

    def _clause(self, name: str) -> str:
        kind = "implicit" if self._chance(IMPLICIT) else "evidence"
        return self._pick(self.bank[name][kind])

    def _framed(self, kind: str, clause: str) -> str:
        return self._pick(self.bank["frame"][kind]).replace("{}", clause)

    def _opened(self, clause: str) -> str:
        return self._pick(self.bank["frame"]["openers"]) + clause if self._chance(OPENED) else clause

    def _dressed(self, clause: str) -> str:
        """Return an evidence clause as a sentence, with a few words before and after."""
        tail = self._pick(self.bank["frame"]["tails"]) if self._chance(TAILED) else ""
        if "{" in clause and "{" in tail:
            tail = ""  # one statement of time or place is enough
        return self._sentence(self._opened(clause) + tail)

    def _sentence(self, clause: str) -> str:
        """Fill the slots; add a capital, a full stop, and now and then a typo."""
        text = re.sub(r"\{(\w+)\}", lambda match: self._pick(self.bank["slots"][match[1]]), clause)
        text = text.replace("for since", "since").replace("in since", "since")
        words = [match.start() for match in re.finditer(r"[a-z]{4,}", text)]
        if words and self._chance(SLIPS):
            at = words[int(self.draw.integers(len(words)))] + int(self.draw.integers(1, 3))
            text = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        end = "" if text.endswith("?") else self._pick([".", ".", ".", ".", ".", "...", "!", ""])
        return (text.lower() if self.plain else text[0].upper() + text[1:]) + end

    def _chance(self, share: float) -> bool:
        return bool(self.draw.random() < share)

    def _pick(self, options: Sequence[str]) -> str:
        """Choose one that the post does not have yet, if there is one; short ones may recur."""
        fresh = [each for each in options if len(each) < 16 or each not in self.said]
        chosen = (fresh or options)[int(self.draw.integers(len(fresh or options)))]
        self.said.add(chosen)
        return chosen
