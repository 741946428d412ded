"""Planted bugs: where each is, what becomes what, and the tests that must notice it.

Most must be caught by the derived tests of their own measure; alignment, ties, thresholds, folds,
intervals and verification by the tests named next to them.
"""

from __future__ import annotations

from dataclasses import dataclass

NAUC = "metrics/abstention/nauc.py"
RISK_COVERAGE = "metrics/abstention/risk_coverage.py"
BRIER = "metrics/calibration/brier.py"
CALIBRATION_FIT = "metrics/calibration/calibration_fit.py"
ECE = "metrics/calibration/ece.py"
DECIMALS = "metrics/core/decimals.py"
RANKED_STEPS = "metrics/core/ranked_steps.py"
RANKINGS = "metrics/core/rankings.py"
REDUCE = "metrics/core/reduce.py"
AREAS = "metrics/detection/areas.py"
CONFUSION = "metrics/detection/confusion.py"
COSTS = "metrics/detection/costs.py"
FPR_BUDGET = "metrics/detection/fpr_budget.py"
EXPECTED_RECIPROCAL_RANK = "metrics/graded/expected_reciprocal_rank.py"
NDCG = "metrics/graded/ndcg.py"
GROUP_F1 = "metrics/posts/group_f1.py"
POST_LABELS = "metrics/posts/post_labels.py"
AVERAGE_PRECISION = "metrics/ranking/average_precision.py"
BPREF = "metrics/ranking/bpref.py"
F_MEASURE = "metrics/ranking/f_measure.py"
HIT = "metrics/ranking/hit.py"
INTERPOLATED_PRECISION = "metrics/ranking/interpolated_precision.py"
R_PRECISION = "metrics/ranking/r_precision.py"
RANK_BIASED_PRECISION = "metrics/ranking/rank_biased_precision.py"
RECALL = "metrics/ranking/recall.py"
RECIPROCAL_RANK = "metrics/ranking/reciprocal_rank.py"
JUDGED = "metrics/retrieved/judged.py"
SET_MEASURES = "metrics/retrieved/set_measures.py"
EVIDENCE = "metrics/selection/evidence.py"
UTILITY = "metrics/selection/utility.py"
STATE_RATES = "metrics/states/state_rates.py"
OPERATING = "statistics/operating_points.py"
ORDER = "data/alignment/ranks.py"
ALIGN = "data/alignment/align.py"
SCORE = "evaluation/scoring/score.py"
THRESHOLDS = "evaluation/thresholds/tune_thresholds.py"
INTERVALS = "evaluation/intervals/bootstrap.py"

RANKS = ("tests/data/test_ranks.py",)
TABLES = ("tests/derived/test_alignment.py",)
TREC_EVAL_OUTPUTS = ("tests/outside/test_recorded.py",)
TREC = ("tests/outside/test_pytrec_eval.py", "-k", "generated")
BINS = ("tests/outside/test_decisions.py", "-k", "28_bins")
CHOSEN = ("tests/derived/test_thresholds.py",)
CLAIMS = ("tests/contracts/test_thresholds.py", "tests/cli/test_tune.py")
REPLICATES = ("tests/outside/test_replicates.py",)
EXACT = ("tests/outside/test_exact.py",)
COLLAPSED = ("tests/report/test_collapsed.py",)
SPLITS = ("tests/data/test_splits.py",)
VERIFIED = ("tests/bundle/test_verify.py", "-k", "changed or states or from_the_original")
STANDING = ("tests/bundle/test_standing.py",)
GATE = ("tests/verification/test_gate.py",)
COMPARED = ("tests/outside/test_compare.py", "-k", "adjust or holm or family")


@dataclass(frozen=True)
class Mutant:
    """One bug: a measure whose derived tests must see it, or the tests that must."""

    where: str | tuple[str, ...]
    file: str
    old: str
    new: str

    @property
    def tests(self) -> tuple[str, ...]:
        """Arguments of pytest."""
        if isinstance(self.where, str):
            return ("tests/derived/test_derived.py", "--family", self.where)
        return self.where


MUTANTS = (
    Mutant("recall", RECALL, 'total = view.R if gold == "all"', 'total = view.hits(ALL) if gold == "all"'),
    Mutant("recall", RANKINGS, "self.count(self.rank <= cut)", "self.count(self.rank < cut)"),
    Mutant("precision", RANKINGS, "return np.minimum(R, k)", "return np.maximum(R, 1)"),
    Mutant("precision", RANKINGS, 'denominator == "k_eff" or k == ALL', "k == ALL"),
    Mutant("hit", HIT, "hits(k) > 0)", "hits(k) > 1)"),
    Mutant("mrr", RECIPROCAL_RANK, "1.0 / view.rank[first]", "1.0 / (view.rank[first] + 1)"),
    Mutant("mrr", RECIPROCAL_RANK, "(view.ordinal == 1) & (view.rank <= k)", "view.ordinal == 1"),
    Mutant("map", AVERAGE_PRECISION, 'if denominator == "R":', 'if denominator == "hits":'),
    Mutant("map", AVERAGE_PRECISION, "view.ordinal[top] / view.rank[top]", "1.0 / view.rank[top]"),
    Mutant("map", AVERAGE_PRECISION, 'if cut == "k_eff" else k)', "if False else k)"),
    Mutant("ndcg", NDCG, "np.log2(r.hit_rank[keep] + 1.0)", "np.log2(r.hit_rank[keep] + 2.0)"),
    Mutant("ndcg", NDCG, 'grades if gain == "linear"', 'grades if gain != "linear"'),
    Mutant("ndcg", NDCG, 'if gold == "retrieved":\n        got', "if False:\n        got"),
    Mutant("ndcg", NDCG, "inside = position <= limit", "inside = position <= k"),
    Mutant("f", F_MEASURE, "weight = beta * beta", "weight = beta"),
    Mutant(
        "judged", "metrics/core/rankings.py", "r.hit_query[r.hit_rank <= k]", "r.hit_query[r.hit_rank < k]"
    ),
    Mutant("unjudged", JUDGED, "count = np.minimum(k, r.n) -", "count = r.n -"),
    Mutant("rprec", R_PRECISION, "view.hits(view.R), view.R", "view.hits(ALL), view.R"),
    Mutant("bpref", BPREF, "view, np.minimum(above, view.R[view.query])", "view, above"),
    Mutant("bpref", BPREF, "np.minimum(r.judged - view.R, view.R)", "np.minimum(r.judged, view.R)"),
    Mutant("rbp", RANK_BIASED_PRECISION, "np.power(p, rank - 1.0)", "np.power(p, rank)"),
    Mutant("err", EXPECTED_RECIPROCAL_RANK, "still_reading[active] *= 1.0 - stop[row]", "pass"),
    Mutant("set_f", SET_MEASURES, "weight * view.R + r.n", "weight * r.n + view.R"),
    Mutant("iprec", INTERPOLATED_PRECISION, "math.ceil(exact", "math.floor(exact"),
    Mutant("iprec", INTERPOLATED_PRECISION, "np.maximum.reduceat", "np.minimum.reduceat"),
    Mutant("gm_map", AVERAGE_PRECISION, 'ALL, "R", "k", rel', 'ALL, "hits", "k", rel'),
    Mutant("auroc", AREAS, "steps.above + steps.alarms) / 2", "2 * steps.alarms) / 2"),
    Mutant(
        "auprc", AREAS, "np.maximum(steps.hits + steps.alarms, 1)", "np.maximum(steps.hits + steps.above, 1)"
    ),
    Mutant("tpr_at_fpr", FPR_BUDGET, "np.count_nonzero(steps.alarms <=", "np.count_nonzero(steps.alarms <"),
    Mutant(
        "fpr_reached", FPR_BUDGET, "np.count_nonzero(steps.hits < hits", "np.count_nonzero(steps.hits <= hits"
    ),
    Mutant("ece", ECE, "np.abs(p - y).sum(axis=1)", "(p - y).sum(axis=1) ** 2"),
    Mutant("aurc", RISK_COVERAGE, "(errors_before - rate * before)", "errors_before"),
    Mutant(
        "calibration_slope",
        CALIBRATION_FIT,
        "residual, weight = counts * np.where",
        "residual, weight = np.where",
    ),
    Mutant("mcc", CONFUSION, "tp * tn - fp * fn", "tp * tn + fp * fn"),
    Mutant("fnr", CONFUSION, '"FN", "TP", "False negative rate"', '"FN", "TN", "False negative rate"'),
    Mutant("macro_f1", GROUP_F1, "below = 2 * tp + wrong", "below = tp + wrong"),
    Mutant("evidence_recall", EVIDENCE, "total * (k >= 1)", "total"),
    Mutant(
        "screening_fn_per_1000",
        STATE_RATES,
        'in_state(cases, "neg") * label(cases)',
        'in_state(cases, "neg")',
    ),
    Mutant("selected_k", RANKED_STEPS, "cumulative <= place", "cumulative < place"),
    Mutant("net_benefit", COSTS, "threshold / (1 - threshold)", "(1 - threshold) / threshold"),
    Mutant("expected_cost", COSTS, "alarm * fp + miss * fn", "miss * fp + alarm * fn"),
    Mutant("exact_match", POST_LABELS, "(wrong == 0).astype", "(wrong <= 1).astype"),
    Mutant("hamming_loss", POST_LABELS, "np.divide(wrong, size", "np.divide(wrong, size + 1"),
    Mutant(
        "weighted_f1",
        GROUP_F1,
        "return f1_of_groups(tp, wrong, 0.0), y",
        "return f1_of_groups(tp, wrong, 0.0), size",
    ),
    Mutant("macro_f1", REDUCE, "(times if self.repeats else times > 0)", "times"),
    Mutant("eaurc", RISK_COVERAGE, "area - best if excess else area", "area"),
    Mutant("brier", BRIER, "label(cases)) ** 2,", "label(cases)) ** 4,"),
    Mutant("nauc", NAUC, "np.round(RATES * n)", "np.floor(RATES * n)"),
    Mutant("utility", UTILITY, "- missed * y * (1 - returns)", "- missed * y"),
    # Binning: edges, their sides, and what a probability is compared as.
    Mutant("ece", DECIMALS, 'in_steps(prob), side="left"', 'in_steps(prob), side="right"'),
    Mutant(BINS, DECIMALS, "np.rint(scaled)", "np.ceil(scaled)"),
    Mutant(BINS, DECIMALS, "round(Fraction(at * UNIT, bins))", "at * UNIT // bins"),
    Mutant(BINS, DECIMALS, "steps[at] = round(Fraction(float(values[at])) * UNIT)", "pass"),
    Mutant("aurc", DECIMALS, "np.abs(in_steps(prob) - round(Fraction(at) * UNIT))", "np.abs(prob - at)"),
    Mutant("ece_debiased", ECE, "(1 - rate), size - 1)", "(1 - rate), size)"),
    Mutant("ece_floor", ECE, "np.sqrt(2 / np.pi * v)", "np.sqrt(np.pi / 2 * v)"),
    Mutant("brier_resolution", BRIER, "- overall) ** 2)", "- overall))"),
    # Ties and ranks.
    Mutant(TREC, ORDER, "np.greater(scores[1:], scores[:-1]", "np.less(scores[1:], scores[:-1]"),
    Mutant(TREC, ORDER, "np.lexsort((-scores[rows], owner))", "np.lexsort((scores[rows], owner))"),
    Mutant(TREC, ORDER, "descending=[False, True]", "descending=[False, False]"),
    Mutant(TREC, ORDER, "+ 1 + within", "+ 1"),
    Mutant(TABLES, ORDER, "scores[starts[query[at]] : rows[at]]", "scores[rows[at] + 1 : ends[query[at]]]"),
    Mutant(TABLES, ORDER, "np.count_nonzero(values > mine[at])", "np.count_nonzero(values >= mine[at]) - 1"),
    Mutant(RANKS, ORDER, "(np.greater, np.greater_equal)", "(np.greater_equal, np.greater_equal)"),
    Mutant(TREC, ORDER, "ranks.rank[tied] = by_id.rank", "ranks.rank[tied] = ranks.first[tied]"),
    Mutant(TREC, ORDER, "tied |= (place < ends", "tied &= (place < ends"),
    Mutant(TREC, ORDER, "[group + 1] - 1", "[group + 1] - 2"),
    # Alignment: judgements and candidates, joined by id.
    Mutant(TREC, ALIGN, "order[grade[order] >= 0]", "order[grade[order] > 0]"),
    Mutant(TABLES, ALIGN, "ranks.rank[order] <= rules.depth", "ranks.rank[order] < rules.depth"),
    Mutant(TREC_EVAL_OUTPUTS, ALIGN, "n = np.minimum(length, rules.depth)", "pass"),
    Mutant(TABLES, ALIGN, "sorted_rows(gold_query, -gold_grade)", "sorted_rows(gold_query, gold_grade)"),
    Mutant(
        TABLES,
        ALIGN,
        'order = np.argsort(codes, kind="stable")',
        "order = np.lexsort((-np.arange(len(codes)), codes))",
    ),
    Mutant(TABLES, ALIGN, "positive = judgements.grade > 0", "positive = judgements.grade > 1"),
    Mutant(TABLES, ALIGN, "judgements.grade[wanted[which]]", "judgements.grade[wanted][: len(which)]"),
    # Thresholds: which one is chosen, and what it may claim.
    Mutant(CHOSEN, OPERATING, "<= budget.numerator * negatives", "< budget.numerator * negatives"),
    Mutant(CHOSEN, OPERATING, "at = int(np.argmax(hits))", "at = len(hits) - 1 - int(np.argmax(hits[::-1]))"),
    Mutant(CHOSEN, OPERATING, "steps.alarms + label.sum())", "steps.alarms + len(label))"),
    Mutant(
        CHOSEN, OPERATING, "value = float(ordered[spare])", "value = float(ordered[min(spare + 1, n - 1)])"
    ),
    Mutant(CHOSEN, OPERATING, "/ (sizes**2).sum()", "/ sizes.sum()"),
    Mutant(CHOSEN, OPERATING, "(sizes)) + 1) - 1)", "(sizes)) + 1))"),
    Mutant(CHOSEN, OPERATING, "np.searchsorted(ranked, ranked)", 'np.searchsorted(ranked, ranked, "right")'),
    Mutant(CHOSEN, OPERATING, "units, 1.0 - target)", "units, target)"),
    Mutant(CLAIMS, THRESHOLDS, "choice.confidence >= confidence", "choice.confidence >= 0"),
    Mutant(CLAIMS, THRESHOLDS, "sorted(threshold.posts.intersection(posts))", "[]"),
    Mutant(
        CLAIMS,
        "evaluation/thresholds/apply_tune.py",
        "tune.folds.codes == tune.folds.labels.index(name)",
        "tune.folds.codes >= 0",
    ),
    Mutant(CLAIMS, THRESHOLDS, "if not tune_reused or threshold.certified is None:", "if True:"),
    Mutant(CLAIMS, THRESHOLDS, "fold != threshold.fold:", "fold == threshold.fold:"),
    # Folds, resamples and bounds.
    Mutant(TABLES, SCORE, "mean=float(values.mean())", "mean=float(values.max())"),
    Mutant(TABLES, SCORE, "values.std(ddof=1)", "values.std()"),
    Mutant(TABLES, SCORE, 'headline = "fold_mean" if averaged', 'headline = "fold_mean" if not averaged'),
    Mutant(SPLITS, "data/splits.py", "size = len(unique) // count", "size = -(-len(unique) // count)"),
    Mutant(SPLITS, "data/splits.py", "ordered = sorted(set(posts))", "ordered = list(dict.fromkeys(posts))"),
    Mutant(REPLICATES, "evaluation/intervals/resample.py", "values = np.mean([part", "values = np.max([part"),
    Mutant(REPLICATES, INTERVALS, "tails = (tail, 1 - tail)", "tails = (2 * tail, 1 - tail)"),
    Mutant(
        EXACT,
        INTERVALS,
        "exact_bounds(hits * units / trials, units, level)",
        "exact_bounds(hits, trials, level)",
    ),
    Mutant(COLLAPSED, "evaluation/intervals/result_intervals.py", "collapsed(interval)", "False"),
    Mutant(COMPARED, "statistics/multiple_testing.py", "np.maximum.accumulate(left", "np.asarray(left"),
    # Verification: what lets a changed bundle pass.
    Mutant(VERIFIED, "verification/recompute/number_findings.py", "TOLERANCE = 1e-9", "TOLERANCE = 1.0"),
    Mutant(
        VERIFIED,
        "verification/recompute/number_findings.py",
        "if self.reason in SET_ASIDE:",
        "if self.reason:",
    ),
    Mutant(VERIFIED, "verification/recompute/archive_records.py", "same = holds()", "same = True"),
    Mutant(VERIFIED, "verification/recompute/archive_records.py", "wrong = known & (", "wrong = ~known & ("),
    Mutant(
        VERIFIED,
        "evaluation/bundle/bundle_files.py",
        "return faults + changed_files(folder, names)",
        "return faults",
    ),
    Mutant(
        VERIFIED,
        "verification/recompute/recompute_document.py",
        "if abs(old - new) > tolerance:",
        "if False:",
    ),
    Mutant(
        STANDING,
        "verification/recompute/number_findings.py",
        "and not self._explained(each)",
        "and self._explained(each)",
    ),
    Mutant(
        STANDING,
        "verification/recompute/number_findings.py",
        "and not self.failed and not self.standing.affected",
        "and not self.failed",
    ),
    Mutant(GATE, "verification/publication_verdict.py", "check.verdict != FAIL", "check.verdict != check"),
)
