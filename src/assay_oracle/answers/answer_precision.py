"""Average precision of answers, the ones with the lowest no-answer probability first."""

import math
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import choice
from assay_oracle.core.reduction import NOTHING_DRAWN, Reduction, Resample, Resampled, same_under_counts
from assay_oracle.core.resamples import Counts, Resamples
from assay_oracle.core.rows import Row

Answer = tuple[float, float, bool]  # probability, score, whether there is evidence


def _answer(row: Row, definition: Definition) -> Answer:
    kind = definition.choice("score")
    score = float(row.has_evidence)
    if row.has_evidence and kind != "oracle":
        score = row.query.facts[f"answer_{kind}"]
    return row.query.facts["na_prob"], score, row.has_evidence


def _resample(answers: Sequence[Answer], units: Sequence[int], definition: Definition) -> Resampled:
    """100 · Σ P · (R − R before) over distinct probabilities; 0 by convention without evidence.

    P = score of the answers so far / their number, R = their score / queries with evidence.
    """
    rising = sorted(zip(answers, units, strict=True), key=lambda pair: pair[0][0])
    groups = [
        [(unit, score, evidence) for (_, score, evidence), unit in group]
        for _, group in groupby(rising, key=lambda pair: pair[0][0])
    ]

    def area(counts: Counts) -> Summary:
        with_evidence = given = 0
        score = 0.0
        terms: list[float] = []
        for group in groups:
            gained = math.fsum(counts[unit] * each for unit, each, _ in group)
            given += sum(counts[unit] for unit in map(itemgetter(0), group))
            with_evidence += sum(counts[unit] for unit, _, evidence in group if evidence)
            score += gained
            if gained:
                terms.append(score / given * gained)
        if not given:
            return NOTHING_DRAWN
        if not with_evidence:
            return Summary(0.0, "no_gold")
        return Summary(100 * math.fsum(terms) / with_evidence)

    def resampled(resamples: Resamples) -> list[Summary]:
        return [area(counts) for counts in resamples.counts]

    return resampled


def _of_answers(resample: Resample) -> Reduction:
    return same_under_counts(resample, _answer)


pooled("answer_ap", {"score": choice("exact", "f1", "oracle")}, via=_of_answers)(_resample)
