"""The best score when answers are given in order of their no-answer probability."""

from collections.abc import Sequence

from assay_oracle.core.definition import Definition
from assay_oracle.core.measure import pooled
from assay_oracle.core.outcome import Summary
from assay_oracle.core.parameters import choice
from assay_oracle.core.reduction import NOTHING_DRAWN, Reduction, Resample, Resampled, same_under_counts
from assay_oracle.core.resamples import Counts, Resamples
from assay_oracle.core.rows import Row

SCORE = {"score": choice("exact", "f1")}
Step = tuple[float, float, float, bool]  # probability, place, what an answer adds, whether there is none
Best = tuple[float, float, int]  # highest sum, threshold, number of queries


def _step(row: Row, definition: Definition) -> Step:
    facts = row.query.facts
    gained = facts[f"answer_{definition.choice('score')}"] if row.has_evidence else -facts["answer_given"]
    return facts["na_prob"], facts["na_place"], gained, not row.has_evidence


def _search(steps: Sequence[Step], units: Sequence[int], counts: Counts) -> Best:
    """Return the highest sum of scores and the probability of the query that reaches it first.

    All answers are withheld at first, which is right without evidence. Then one query after the
    other is answered: it adds its score, or takes off 1 if it has text and no evidence. Sums are
    floats, as those of the script: their rounding decides which of several equal sums is the first.
    """
    drawn = [counts[unit] for unit in units]
    total = best = float(sum(times for times, step in zip(drawn, steps, strict=True) if step[3]))
    threshold = 0.0
    for times, (na_prob, _, gained, _) in zip(drawn, steps, strict=True):
        total += times * gained
        if total > best:
            best, threshold = total, na_prob
    return best, threshold, sum(drawn)


def _searched(steps: Sequence[Step], units: Sequence[int], resamples: Resamples) -> list[Best]:
    """Search every resample, once for value and threshold."""
    order = sorted(range(len(steps)), key=lambda at: steps[at][:2])
    rising, owners = tuple(steps[at] for at in order), tuple(units[at] for at in order)
    found: list[Best] = resamples.shared(
        ("best answers", rising, owners),
        lambda: [_search(rising, owners, counts) for counts in resamples.counts],
    )
    return found


def _values(steps: Sequence[Step], units: Sequence[int], definition: Definition) -> Resampled:
    def resampled(resamples: Resamples) -> list[Summary]:
        found = _searched(steps, units, resamples)
        return [Summary(100 * best / n) if n else NOTHING_DRAWN for best, _, n in found]

    return resampled


def _thresholds(steps: Sequence[Step], units: Sequence[int], definition: Definition) -> Resampled:
    def resampled(resamples: Resamples) -> list[Summary]:
        found = _searched(steps, units, resamples)
        return [Summary(threshold) if n else NOTHING_DRAWN for _, threshold, n in found]

    return resampled


def _of_steps(resample: Resample) -> Reduction:
    return same_under_counts(resample, _step)


pooled("best_answers", SCORE, via=_of_steps)(_values)
pooled("best_answers_threshold", SCORE, via=_of_steps)(_thresholds)
