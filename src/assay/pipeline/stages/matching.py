"""The matching model: what TRAIN teaches about questions and sentences of any kind."""

from __future__ import annotations

import numpy as np

from assay.array_types import Floats, Ints
from assay.errors import AssayError
from assay.pipeline.explanations.explanation import (
    GATE,
    QUESTION,
    RANKING,
    ExplainsWords,
    Explanation,
    WordContributions,
)
from assay.pipeline.explanations.feature_names import matching_name
from assay.pipeline.matching.matched_words import WordsOnDemand
from assay.pipeline.matching.matching_model import Candidates, Contributions, MatchingModel, MatchingSettings
from assay.pipeline.matching.query_features import words_covered
from assay.pipeline.models.tokens import sp
from assay.pipeline.query_arrays import highest_of
from assay.pipeline.regressions.logistic_regression import fit_logistic
from assay.pipeline.regressions.own_models import TOLERANCE, evidence_counts, taught_criteria
from assay.pipeline.stage import Learns, Stage
from assay.pipeline.views import Columns, Labelled, Unlabelled

STRENGTH, ITERATIONS = 3.0, 100  # of the logistic regression on two features
VARIED = 9  # criteria with evidence that show what transfers to a criterion that TRAIN does not contain


class Matching(Stage, ExplainsWords):
    """Gradient boosting on features that mean the same for every question.

    match = t·trees + (1 − t)·regression with t = n / (n + half), n the number of evidence sentences
    in TRAIN. The trees read how well the sentence covers the words of the question, weighed by
    rarity: word by word, by stem, by character trigrams, by static embeddings, in order, with its
    neighbours; the rarest word covered and not covered; agreement of numbers and names; BM25,
    cosine, position, length; further columns; each relative to the other candidates. The regression
    reads BM25, cosine, coverage and further columns. Both are fitted on the queries with evidence.
    match_gate = the same blend with `gate_half`, of trees that read the same for all candidates
    together, the best match scores, and the wording of the question, fitted on whether a query has
    evidence, on cross-fitted match scores.
    It is fitted on all criteria if any criterion of the corpus has too little evidence in TRAIN, or none.
    A criterion with `enough` evidence has its own model, which learns more: it only gets the
    log-odds of a logistic regression on BM25 and cosine, or the cosine if that cannot be learned.
    From half of that on, both are blended. So are they for a criterion that TRAIN does not teach, if
    fewer than nine criteria have evidence there: with one, nothing can be learned about others.
    """

    name = "matching"
    needs: tuple[str, ...] = ("bm25", "cosine")
    gives = ("match", "match_gate")
    ranks = "match"
    learns = Learns.TRAIN
    compares_words = True
    by_post = True
    words_of = QUESTION
    settings_type = MatchingSettings
    settings: MatchingSettings

    def __init__(self, settings: MatchingSettings | None = None, *, seed: int = 0) -> None:
        super().__init__(settings, seed=seed)
        self.needs = (*self.needs, *self.settings.also)

    def fit(self, labelled: Labelled) -> None:
        """Fit the ranker and the gate on the queries of TRAIN, at most `most` of their pairs."""
        known, gold = labelled.known_pairs, labelled.gold
        self._simple = self._model = None
        if _has_both(labelled):
            features = _simple_features(labelled.view)[known]
            self._simple = fit_logistic(features, gold[known], STRENGTH, TOLERANCE, ITERATIONS)
        self._part = self._parts(labelled)
        if self._simple is not None and self._part.any():  # also for criteria that TRAIN does not ask
            self._model = self._fitted(labelled)

    def will_compare_words(self, labelled: Labelled) -> bool:
        """Return whether `fit` would compare the words of questions and sentences."""
        return _has_both(labelled) and bool(self._parts(labelled).any())

    def _parts(self, labelled: Labelled) -> Floats:
        """Return for each criterion which part of its score comes from the trees."""
        half, counts = self.settings.enough / 2, evidence_counts(labelled)
        varied = min(max(int((counts > 0).sum()) - 1, 0) / (VARIED - 1), 1.0)
        scarce = np.clip((self.settings.enough - counts) / half, 0, 1)
        return np.where(taught_criteria(labelled), scarce, varied)

    def _fitted(self, labelled: Labelled) -> MatchingModel:
        layout = labelled.view.layout
        draw = np.random.default_rng(self.seed).permutation(len(layout.posts))[layout.query_post]
        size = np.where(labelled.known, layout.query_sizes, 0)
        order = np.argsort(draw, kind="stable")  # whole posts, in random order
        kept = np.sort(order[(np.cumsum(size[order]) <= self.settings.most) & labelled.known[order]])
        train = self._candidates(labelled.view, kept)
        gold = labelled.gold[np.isin(layout.pair_query, kept)]
        return MatchingModel(self.settings, self.seed, train, gold, layout.query_post[kept])

    def apply(self, view: Unlabelled) -> Columns:
        """Return the log-odds of every pair, and of every query having evidence."""
        match, layout = view.column("cosine").copy(), view.layout
        if self._simple is not None:
            match = self._simple.decision_function(_simple_features(view))
        gate = highest_of(match, layout.pair_offsets)
        if self._model is not None:
            part = self._part[layout.query_criterion]
            wanted = np.flatnonzero(part > 0)
            pairs = np.flatnonzero(part[layout.pair_query] > 0)
            found, chance = self._model.apply(self._candidates(view, wanted))
            match[pairs] += part[layout.pair_query[pairs]] * (found - match[pairs])
            gate[wanted] += part[wanted] * (chance - gate[wanted])
        return {"match": match, "match_gate": gate}

    def explain(self, view: Unlabelled, top: Ints) -> tuple[Explanation, ...]:
        """Return the contributions of the trees, for the queries that they answer."""
        part = self._part[view.layout.query_criterion]
        wanted = np.flatnonzero(part > 0)
        if self._model is None or not len(wanted):
            return ()
        asked = self._candidates(view, wanted)
        first = asked.pairs.offsets[:-1] + (top - view.layout.pair_offsets[:-1])[wanted]
        ranking, gate = self._model.explain(asked, first)
        return tuple(_placed(about, made, part, wanted) for about, made in ((GATE, gate), (RANKING, ranking)))

    def explain_words(self, view: Unlabelled, top: Ints) -> WordContributions | None:
        """Return the words of each question by their places, weighed by rarity.

        The value is 1 if the top-ranked sentence has a word with the same stem, 0.5 if only other
        sentences have one.
        """
        wanted = np.flatnonzero(self._part[view.layout.query_criterion] > 0)
        if self._model is None or not len(wanted):
            return None
        asked = self._candidates(view, wanted)
        questions = asked.criteria.take(asked.pairs.criterion)
        first = asked.pairs.offsets[:-1] + (top - view.layout.pair_offsets[:-1])[wanted]
        anywhere = words_covered(questions, asked.pairs, asked.alignment)
        value = (0.5 * anywhere + 0.5 * (asked.alignment.take(first).stem > 0)).astype(np.float64)
        row = np.repeat(wanted, questions.lengths)
        place = np.arange(len(row)) - np.repeat(questions.offsets[:-1], questions.lengths)
        shape = (view.queries, _words(view).longest())
        weights = self._model.rarity(questions.ids)
        return WordContributions(
            *(sp.csr_matrix((each, (row, place)), shape=shape) for each in (weights, value))
        )

    def _candidates(self, view: Unlabelled, queries: Ints) -> Candidates:
        also = {name: view.column(name) for name in self.settings.also}
        return _words(view).candidates(view.layout, queries, also)


def _has_both(labelled: Labelled) -> bool:
    """Return whether the pairs that may be learned from have both classes."""
    known = labelled.gold[labelled.known_pairs]
    return bool(known.any() and not known.all())


def _words(view: Unlabelled) -> WordsOnDemand:
    if view.words is None:
        raise AssayError("the view has no words; a stage must declare that it compares them")
    return view.words


def _simple_features(view: Unlabelled) -> Floats:
    return np.stack([np.log1p(view.column("bm25")), view.column("cosine")], axis=-1)


def _placed(about: str, made: Contributions, part: Floats, wanted: Ints) -> Explanation:
    """Return the explanation of all queries; those that are not wanted have no contributions."""
    values, contributions = (np.zeros((len(part), len(made.names))) for _ in range(2))
    values[wanted] = made.values
    contributions[wanted] = made.contributions * part[wanted, None]
    return Explanation(about, tuple(map(matching_name, made.names)), values, contributions)
