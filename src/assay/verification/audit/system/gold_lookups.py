"""Whether a system looks up the gold and hides it: its predictions get worse once it cannot.

A system may read gold from elsewhere, but only if the labels it is given are genuine, so that
shuffled labels (L103) show nothing. Two rounds with genuine labels prevent that: the same posts
under other names, and one label changed in TRAIN and one in TUNE. An honest system predicts as
before, or nearly so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from assay.data.corpus import Corpus
from assay.evaluation.presentation import counted
from assay.verification.audit.audit_report import CHANCE, Seen, Verdict, clean, found, not_applicable
from assay.verification.audit.facts import Facts
from assay.verification.audit.gather_facts import Answers, facts_of_corpus
from assay.verification.audit.system.auroc_by_post import Area, area_of, difference, mean_area
from assay.verification.audit.system.relabel import less_gold
from assay.verification.audit.system.runner import Fold, Runner, changed_folds

DROP = 0.02
"""Minimum loss of AUROC, with chance ≤ CHANCE."""

UNITS = ("queries", "candidates")

NUDGES = 3
"""Number of single labels that must all cause a loss: with few labels, one may upset an honest system."""


def disguised(runner: Runner, first: list[Answers]) -> Seen:
    """Rename posts and change whitespace: a lookup by id or by text fails."""
    looked = f"{counted(len(runner.folds), 'fold')}, posts and sentences renamed"
    corpus, posts, sentences = _renamed(runner.corpus)
    folds = tuple(
        Fold(each.name, *(tuple(posts[post] for post in role) for role in _roles(each)))
        for each in runner.folds
    )
    hidden = replace(runner, corpus=corpus, folds=folds).ask()
    back = {new: old for old, new in posts.items()}, {new: old for old, new in sentences.items()}
    return _compared(runner, first, [_restored(each, *back) for each in hidden], looked)


def nudged(runner: Runner, first: list[Answers]) -> Seen:
    """Change one label of TRAIN and one of TUNE: a test for genuine labels fails."""
    looked = f"{counted(len(runner.folds), 'fold')}, one label changed in TRAIN and one in TUNE"
    least = None
    for which in range(NUDGES):

        def relabel(corpus: Corpus, fold: Fold, _: int, which: int = which) -> Corpus:
            return less_gold(less_gold(corpus, fold.train, which), fold.tune, which)

        seen = _compared(runner, first, runner.ask(relabel), looked)
        if seen.verdict is not Verdict.FOUND:
            return seen
        least = seen if least is None or _loss(seen) < _loss(least) else least
    assert least is not None, "NUDGES is at least 1"
    return least


def _loss(seen: Seen) -> float:
    """Return the largest loss of AUROC among units."""
    before_and_after = [[seen.numbers.get(f"{unit}_{when}") for when in ("auroc", "then")] for unit in UNITS]
    return max(
        float(before) - float(then) for before, then in before_and_after if before and then is not None
    )


def _roles(fold: Fold) -> tuple[tuple[str, ...], ...]:
    return fold.train, fold.tune, fold.eval


def _renamed(corpus: Corpus) -> tuple[Corpus, dict[str, str], dict[str, str]]:
    """Return the corpus under other ids in the same order, with doubled spaces; old ids to new."""
    posts = _names(corpus.sentences.frame["post_id"], "post")
    sentences = _names(corpus.sentences.frame["sent_uid"], "sentence")

    def named(frame: pl.DataFrame) -> pl.DataFrame:
        made = frame.with_columns(pl.col("post_id").replace_strict(posts))
        if "sent_uid" in made.columns:
            made = made.with_columns(pl.col("sent_uid").replace_strict(sentences))
        if "text" in made.columns:
            spaced = pl.col("text").cast(pl.String).str.replace_all(" ", "  ", literal=True) + " "
            made = made.with_columns(spaced.alias("text"))
        return made

    tables = {
        name: replace(table, frame=named(table.frame))
        for name in ("sentences", "gold", "queries", "folds")
        if (table := getattr(corpus, name)) is not None
    }
    return replace(corpus, **tables), posts, sentences


def _names(ids: pl.Series, word: str) -> dict[str, str]:
    """Return numbered names that sort like the ids, so that splits by sorted id stay the same."""
    ordered = sorted(set(ids.to_list()))
    width = len(str(len(ordered)))
    return {each: f"{word}-{at:0{width}d}" for at, each in enumerate(ordered)}


def _restored(answers: Answers, posts: Mapping[str, str], sentences: Mapping[str, str]) -> Answers:
    def named(frame: pl.DataFrame | None) -> pl.DataFrame | None:
        if frame is None:
            return None
        made = frame.with_columns(pl.col("post_id").replace(posts))
        if "sent_uid" not in made.columns:
            return made
        return made.with_columns(pl.col("sent_uid").replace(sentences))

    return replace(answers, candidates=named(answers.candidates), decisions=named(answers.decisions))


def _compared(runner: Runner, first: list[Answers], again: list[Answers], looked: str) -> Seen:
    """Return found if the AUROC of queries or candidates falls by more than posts explain."""
    changed = changed_folds(runner, first, again)
    if not changed:
        return clean(looked, "the same bytes")
    before, after = (_areas(runner, each) for each in (first, again))
    numbers: dict[str, float] = {"folds": len(changed)}
    worse = []
    for unit in before.keys() & after.keys():
        drop, p = difference(before[unit], after[unit])
        numbers |= {f"{unit}_auroc": before[unit].value, f"{unit}_then": after[unit].value, f"{unit}_p": p}
        if drop >= DROP and p <= CHANCE:
            values = f"{before[unit].value:.3f} to {after[unit].value:.3f}"
            worse.append(f"AUROC of {unit} falls from {values}")
    if len(numbers) == 1:
        return not_applicable("no fold has predictions for both classes", looked)
    if worse:
        return found(looked, "; ".join(sorted(worse)), changed, **numbers)
    return clean(looked, f"predictions change in {counted(len(changed), 'fold')}, but are as good", **numbers)


def _areas(runner: Runner, made: list[Answers]) -> dict[str, Area]:
    """Return AUROC of queries and of candidates, averaged over folds."""
    parts: dict[str, list[Area]] = {unit: [] for unit in UNITS}
    for answers, fold in zip(made, runner.folds, strict=True):
        names = pl.Series(fold.eval, dtype=pl.String).implode()
        asked = runner.corpus.queries.frame.filter(pl.col("post_id").is_in(names))
        facts = facts_of_corpus(runner.corpus, answers, asked)
        for unit, table in _labelled(facts).items():
            rows = table.drop_nulls()
            value = rows["value"].cast(pl.Float64).to_numpy()
            area = area_of(value, rows["label"].to_numpy(), rows["post_id"].to_list())
            if area is not None:
                parts[unit].append(area)
    return {unit: mean_area(areas) for unit, areas in parts.items() if areas}


def _labelled(facts: Facts) -> dict[str, pl.DataFrame]:
    made = {}
    if facts.prob is not None:
        made["queries"] = facts.prob.select("post_id", value="prob", label="has_evidence")
    if facts.candidates is not None:
        made["candidates"] = facts.candidates.select("post_id", value="score", label=pl.col("grade") >= 1)
    return made
