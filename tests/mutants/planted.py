"""Planted bugs: where each is, what becomes what, and the tests that must notice it.

Most must be caught by the derived tests of their own measure; alignment, ties, thresholds, folds,
intervals and verification by the tests named beside them.
"""

from __future__ import annotations

from dataclasses import dataclass

RANKING = "kernels/ranking.py"
UNCUT = "kernels/uncut.py"
LAYOUT = "kernels/layout.py"
BINARY = "kernels/binary.py"
DECIMALS = "kernels/decimals.py"
LOGISTIC = "kernels/logistic.py"
OPERATING = "kernels/operating.py"
CALIBRATION = "metrics/calibration.py"
CONFUSION = "metrics/confusion.py"
POSTS = "metrics/posts.py"
REDUCE = "metrics/reduce.py"
RISK = "metrics/risk.py"
SELECTION = "metrics/selection.py"
STATES_FILE = "metrics/states.py"
ORDER = "data/order.py"
ALIGN = "data/align.py"
SCORE = "evaluation/score.py"
THRESHOLDS = "evaluation/thresholds.py"
INTERVALS = "evaluation/intervals.py"

TABLES = ("tests/derived/test_alignment.py",)
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
GATE = ("tests/verify/test_gate.py",)
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
    Mutant(
        "recall",
        RANKING,
        'total = view.R if gold == "all"',
        'total = view.hits(ALL) if gold == "all"',
    ),
    Mutant("recall", LAYOUT, "self.count(self.rank <= cut)", "self.count(self.rank < cut)"),
    Mutant("precision", RANKING, "return np.minimum(R, k)", "return np.maximum(R, 1)"),
    Mutant("precision", RANKING, 'denominator == "k_eff" or k == ALL', "k == ALL"),
    Mutant("hit", RANKING, "hits(k) > 0)", "hits(k) > 1)"),
    Mutant("mrr", RANKING, "1.0 / view.rank[first]", "1.0 / (view.rank[first] + 1)"),
    Mutant("mrr", RANKING, "(view.ordinal == 1) & (view.rank <= k)", "view.ordinal == 1"),
    Mutant("map", RANKING, 'if denominator == "R":', 'if denominator == "hits":'),
    Mutant("map", RANKING, "view.ordinal[top] / view.rank[top]", "1.0 / view.rank[top]"),
    Mutant("map", RANKING, 'if cut == "k_eff" else k)', "if False else k)"),
    Mutant("ndcg", RANKING, "np.log2(r.hit_rank[keep] + 1.0)", "np.log2(r.hit_rank[keep] + 2.0)"),
    Mutant("ndcg", RANKING, 'grades if gain == "linear"', 'grades if gain != "linear"'),
    Mutant("ndcg", RANKING, 'if gold == "retrieved":', "if False:"),
    Mutant("ndcg", RANKING, "inside = position <= limit", "inside = position <= k"),
    Mutant("f", RANKING, "weight = beta * beta", "weight = beta"),
    Mutant("judged", RANKING, "r.hit_query[r.hit_rank <= k]", "r.hit_query[r.hit_rank < k]"),
    Mutant("unjudged", RANKING, "count = np.minimum(k, r.n) -", "count = r.n -"),
    Mutant("rprec", UNCUT, "view.hits(view.R), view.R", "view.hits(ALL), view.R"),
    Mutant("bpref", UNCUT, "np.minimum(above, bound), total", "above, total"),
    Mutant("bpref", UNCUT, "(r.judged - view.R)[view.query]", "r.judged[view.query]"),
    Mutant("rbp", UNCUT, "np.power(p, view.rank - 1.0)", "np.power(p, view.rank)"),
    Mutant("err", UNCUT, "still_reading[active] *= 1.0 - stop[row]", "pass"),
    Mutant("set_f", UNCUT, "weight * view.R + r.n", "weight * r.n + view.R"),
    Mutant("iprec", UNCUT, "math.ceil(exact", "math.floor(exact"),
    Mutant("iprec", UNCUT, "np.maximum.reduceat", "np.minimum.reduceat"),
    Mutant("gm_map", UNCUT, 'ALL, "R", "k", rel', 'ALL, "hits", "k", rel'),
    Mutant("auroc", BINARY, "- steps.above - steps.alarms", "- 2 * steps.alarms"),
    Mutant(
        "auprc",
        BINARY,
        "np.maximum(steps.hits + steps.alarms, 1)",
        "np.maximum(steps.hits + steps.above, 1)",
    ),
    Mutant(
        "tpr_at_fpr", BINARY, "np.count_nonzero(steps.alarms <=", "np.count_nonzero(steps.alarms <"
    ),
    Mutant(
        "fpr_reached",
        BINARY,
        "np.count_nonzero(steps.hits < hits",
        "np.count_nonzero(steps.hits <= hits",
    ),
    Mutant("ece", CALIBRATION, "np.abs(p - y).sum(axis=1)", "(p - y).sum(axis=1) ** 2"),
    Mutant("aurc", BINARY, "(errors_before - rate * before)", "errors_before"),
    Mutant(
        "calibration_slope",
        LOGISTIC,
        "residual, weight = counts * np.where",
        "residual, weight = np.where",
    ),
    Mutant("mcc", CONFUSION, "tp * tn - fp * fn", "tp * tn + fp * fn"),
    Mutant("fnr", CONFUSION, 'Share("FN", "FN TP")', 'Share("FN", "FN TN")'),
    Mutant("macro_f1", POSTS, "below = 2 * tp + wrong", "below = tp + wrong"),
    Mutant("evidence_recall", SELECTION, "total * (k >= 1)", "total"),
    Mutant(
        "screening_fn_per_1000",
        STATES_FILE,
        'in_state(cases, "neg") * label(cases)',
        'in_state(cases, "neg")',
    ),
    Mutant("selected_k", BINARY, "cumulative <= place", "cumulative < place"),
    Mutant("net_benefit", CONFUSION, "odds = x / (1 - x)", "odds = (1 - x) / x"),
    Mutant("expected_cost", CONFUSION, "fp * false + fn * missed", "fn * false + fp * missed"),
    Mutant("exact_match", POSTS, "(wrong == 0).astype", "(wrong <= 1).astype"),
    Mutant("hamming_loss", POSTS, "np.divide(wrong, size", "np.divide(wrong, size + 1"),
    Mutant(
        "weighted_f1", POSTS, "return _f1(tp, wrong, 0.0), y", "return _f1(tp, wrong, 0.0), size"
    ),
    Mutant("macro_f1", REDUCE, "(times if self.repeats else times > 0)", "times"),
    Mutant("eaurc", RISK, "area - best if excess else area", "area"),
    Mutant("brier", CALIBRATION, "label(cases)) ** 2}", "label(cases)) ** 4}"),
    Mutant("nauc", "kernels/abstention.py", "np.round(RATES * n)", "np.floor(RATES * n)"),
    Mutant("utility", SELECTION, "- missed * y * (1 - returns)", "- missed * y"),
    # Binning: edges, their sides, and what a probability is compared as.
    Mutant("ece", DECIMALS, 'in_steps(prob), side="left"', 'in_steps(prob), side="right"'),
    Mutant(BINS, DECIMALS, "np.rint(scaled)", "np.ceil(scaled)"),
    Mutant(BINS, DECIMALS, "round(Fraction(at * UNIT, bins))", "at * UNIT // bins"),
    Mutant(BINS, DECIMALS, "steps[at] = round(Fraction(float(values[at])) * UNIT)", "pass"),
    Mutant(
        "aurc", DECIMALS, "np.abs(in_steps(prob) - round(Fraction(at) * UNIT))", "np.abs(prob - at)"
    ),
    Mutant("ece_debiased", CALIBRATION, "(1 - rate), size - 1)", "(1 - rate), size)"),
    Mutant("ece_floor", CALIBRATION, "np.sqrt(2 / np.pi * v)", "np.sqrt(np.pi / 2 * v)"),
    Mutant("brier_resolution", CALIBRATION, "- overall) ** 2)", "- overall))"),
    # Ties and ranks.
    Mutant(TREC, ORDER, "np.greater(scores[1:], scores[:-1]", "np.less(scores[1:], scores[:-1]"),
    Mutant(TREC, ORDER, "np.lexsort((-scores[rows], owner))", "np.lexsort((scores[rows], owner))"),
    Mutant(TREC, ORDER, "descending=[False, True]", "descending=[False, False]"),
    Mutant(TREC, ORDER, "+ 1 + within", "+ 1"),
    Mutant(
        TABLES,
        ORDER,
        "count(values[: row - begin] == mine)",
        "count(values[row - begin + 1 :] == mine)",
    ),
    Mutant(TABLES, ORDER, "above = count(values > mine)", "above = count(values >= mine) - 1"),
    Mutant(TREC, ORDER, "tied |= (place < ends", "tied &= (place < ends"),
    Mutant(TREC, ORDER, "[group + 1] - 1", "[group + 1] - 2"),
    # Alignment: judgements and candidates, joined by id.
    Mutant(TREC, ALIGN, "np.flatnonzero(grade >= 0)", "np.flatnonzero(grade > 0)"),
    Mutant(TABLES, ALIGN, "ranks.rank[order] <= rules.depth", "ranks.rank[order] < rules.depth"),
    Mutant(TABLES, ALIGN, "n = np.minimum(length, rules.depth)", "pass"),
    Mutant(
        TABLES,
        ALIGN,
        "np.lexsort((-gold_grade, gold_query))",
        "np.lexsort((gold_grade, gold_query))",
    ),
    Mutant(
        TABLES,
        ALIGN,
        'order = np.argsort(codes, kind="stable")',
        "order = np.lexsort((-np.arange(len(codes)), codes))",
    ),
    Mutant(TABLES, ALIGN, "positive = judgements.grade > 0", "positive = judgements.grade > 1"),
    Mutant(
        TABLES,
        ALIGN,
        "grade = judgements.grade[wanted[which]]",
        "grade = judgements.grade[wanted][: len(which)]",
    ),
    # Thresholds: which one is chosen, and what it may claim.
    Mutant(CHOSEN, OPERATING, "<= budget.numerator * negatives", "< budget.numerator * negatives"),
    Mutant(
        CHOSEN,
        OPERATING,
        "at = int(np.argmax(hits))",
        "at = len(hits) - 1 - int(np.argmax(hits[::-1]))",
    ),
    Mutant(CHOSEN, OPERATING, "steps.alarms + label.sum())", "steps.alarms + len(label))"),
    Mutant(
        CHOSEN,
        OPERATING,
        "value = float(ordered[spare])",
        "value = float(ordered[min(spare + 1, n - 1)])",
    ),
    Mutant(CHOSEN, OPERATING, "/ (sizes**2).sum()", "/ sizes.sum()"),
    Mutant(CHOSEN, OPERATING, "(sizes)) + 1) - 1)", "(sizes)) + 1))"),
    Mutant(
        CHOSEN,
        OPERATING,
        "np.searchsorted(ranked, ranked)",
        'np.searchsorted(ranked, ranked, "right")',
    ),
    Mutant(CHOSEN, OPERATING, "units, 1.0 - target)", "units, target)"),
    Mutant(CLAIMS, THRESHOLDS, "choice.confidence >= confidence", "choice.confidence >= 0"),
    Mutant(CLAIMS, THRESHOLDS, "sorted(threshold.posts.intersection(posts))", "[]"),
    Mutant(
        CLAIMS,
        THRESHOLDS,
        "tune.folds.codes == tune.folds.labels.index(name)",
        "tune.folds.codes >= 0",
    ),
    Mutant(CLAIMS, THRESHOLDS, "if clean or threshold.certified is None:", "if True:"),
    Mutant(CLAIMS, THRESHOLDS, "fold != threshold.fold:", "fold == threshold.fold:"),
    # Folds, resamples and bounds.
    Mutant(TABLES, SCORE, "mean=float(values.mean())", "mean=float(values.max())"),
    Mutant(TABLES, SCORE, "values.std(ddof=1)", "values.std()"),
    Mutant(
        TABLES,
        SCORE,
        'headline = "fold_mean" if averaged',
        'headline = "fold_mean" if not averaged',
    ),
    Mutant(
        SPLITS, "data/splits.py", "size = len(unique) // count", "size = -(-len(unique) // count)"
    ),
    Mutant(
        SPLITS,
        "data/splits.py",
        "ordered = sorted(set(posts))",
        "ordered = list(dict.fromkeys(posts))",
    ),
    Mutant(REPLICATES, "evaluation/resample.py", "values = np.mean([part", "values = np.max([part"),
    Mutant(REPLICATES, INTERVALS, "tails = (tail, 1 - tail)", "tails = (2 * tail, 1 - tail)"),
    Mutant(
        EXACT,
        INTERVALS,
        "exact_bounds(hits * units / trials, units, level)",
        "exact_bounds(hits, trials, level)",
    ),
    Mutant(COLLAPSED, "evaluation/bounds.py", "collapsed(interval)", "False"),
    Mutant(COMPARED, "kernels/adjust.py", "np.maximum.accumulate(left", "np.asarray(left"),
    # Verification: what lets a changed bundle pass.
    Mutant(VERIFIED, "verify/findings.py", "TOLERANCE = 1e-9", "TOLERANCE = 1.0"),
    Mutant(VERIFIED, "verify/findings.py", "if self.reason == ONLY_INPUTS:", "if self.reason:"),
    Mutant(VERIFIED, "verify/records.py", "same = holds()", "same = True"),
    Mutant(VERIFIED, "verify/records.py", "wrong = known & (", "wrong = ~known & ("),
    Mutant(
        VERIFIED,
        "evaluation/bundle/read.py",
        "return faults + changed_files(folder, names)",
        "return faults",
    ),
    Mutant(VERIFIED, "verify/again.py", "if abs(old - new) > TOLERANCE:", "if False:"),
    Mutant(
        STANDING, "verify/findings.py", "and not self._explained(each)", "and self._explained(each)"
    ),
    Mutant(
        STANDING,
        "verify/findings.py",
        "and not self.failed and not self.contract.affected",
        "and not self.failed",
    ),
    Mutant(GATE, "verify/gate.py", "check.verdict != FAIL", "check.verdict != check"),
)
