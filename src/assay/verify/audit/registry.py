"""All checks, in the order of their codes."""

from __future__ import annotations

from assay.verify.audit.checks import (
    candidates,
    copies,
    labels,
    nearness,
    order,
    posts,
    roles,
    separability,
    thresholds,
    tune,
)
from assay.verify.audit.facts import Facts
from assay.verify.audit.model import Check, Finding, Seen, Settings, not_applicable

LACKS = {
    "folds": "there are no folds",
    "texts": "the texts of the posts are not known",
    "sentences": "the sentences of the posts are not known",
    "candidates": "there are no candidates",
    "prob": "there are no probabilities",
    "roles": "only EVAL queries are known",
}
SYSTEM = "tables do not predict: assay.audit_system asks the system itself"

CHECKS = (
    Check("L001", "post in two folds", "a post has more than one fold", ("folds",),
          posts.shared_posts),
    Check("L002", "query asked twice",
          "a query is there twice, or a post is asked about two criteria with the same words", (),
          posts.repeated_queries),
    Check("L003", "same text in two folds",
          "posts with the same words (5 or more) are in two folds, or in TUNE and EVAL", ("texts",),
          posts.same_texts),
    Check("L004", "nearly the same text in two folds",
          "such posts have 3-word shingles of Jaccard ≥ 0.8 (`--threshold`): MinHash proposes, the "
          "sets decide", ("texts",), posts.near_texts),
    Check("L005", "gold of another post", "refused when a corpus is read", (), posts.foreign_gold),
    Check("L006", "sentence id in two posts",
          "an id is in two posts, where ids are not numbered anew in each", (),
          posts.shared_sentences),
    Check("L007", "TUNE post that is scored", "a post is TUNE and EVAL of one fold", ("roles",),
          roles.tune_in_eval),
    Check("L008", "inner split by query", "a post is TRAIN and TUNE of one fold", ("roles",),
          roles.train_in_tune),
    Check("L009", "TRAIN post that is scored", "a post is TRAIN and EVAL of one fold", ("roles",),
          roles.train_in_eval),
    Check("L010", "probability from the label",
          "each probability is the label, or evidence is above all else, or the gold count fixes "
          "the probability: in every fold, on so many queries that a system which errs on 2 % "
          "would do it with chance ≤ 0.001, and so would one with an AUROC of 0.995; or in one, "
          "where the errors of the others make it that rare",
          ("prob",), labels.prob_of_label),
    Check("L011", "score from the gold",
          "gold is above all others: in every list, of so many that a system which errs on 10 % "
          "would do it with chance ≤ 0.001, and so would one with an AUROC of 0.993 (else "
          "flagged); or in those of one fold, where the errors of the others make it that rare",
          ("candidates",), labels.scores_of_gold),
    Check("L012", "candidates counted by the label",
          "the number of candidates orders 98 % of the pairs (evidence, none) of a post, p ≤ 0.001 "
          "when labels are swapped inside posts, 30 queries with evidence", ("candidates",),
          candidates.telling_counts),
    Check("L013", "odd lists on evidence only",
          "lists differ in length from the others of their post on evidence alone, exact chance "
          "≤ 0.001", ("candidates",), candidates.odd_lists),
    Check("L014", "no gold lost",
          "lists leave sentences out and lose no gold, with gold in so many last quarters that a "
          "cut which keeps 80 % would do it with chance ≤ 0.001", ("candidates", "sentences"),
          candidates.nothing_lost),
    Check("L015", "gold first among ties",
          "in all of 10 tie groups or more gold comes first, exact chance ≤ 0.001; or in all but "
          "a few, and more often than the scores are right; flagged where it is only more often; "
          "unless ties keep the order of the text or of the ids",
          ("candidates",), order.gold_first),
    Check("L016", "threshold without TUNE",
          "columns `threshold_…` are there and no TUNE queries", ("prob",),
          thresholds.without_tune),
    Check("L017", "threshold from EVAL",
          "its rule, or a usual one where it names none, gives it on EVAL in every fold, and none "
          "gives it on TUNE; chance ≤ 0.001", ("prob",), thresholds.from_eval),
    Check("L018", "threshold not from TUNE", "its rule gives another value on TUNE", ("prob",),
          thresholds.not_from_tune),
    Check("L019", "sentences of a post in two folds",
          "half of a post's words (20 or more, 2 sentences) are in sentences that a post of "
          "another fold has too, with 75% of the words in common; flagged where it is a quarter "
          "(40 words, 3 sentences) with 60% in common", ("texts",), copies.copied_sentences),
    Check("L020", "copies inside one fold", "flagged where such posts are in the same fold",
          ("texts",), copies.copies_in_fold),
    Check("L021", "hardly an error in the probabilities",
          "so few errors that a system whose miss rate and false alarm rate sum to 3% would make "
          "them with chance ≤ 0.001, and the highest candidate score errs 5 times as often; "
          "flagged where it does not, or where there is none", ("prob",), separability.few_errors),
    Check("L022", "hardly an error in the lists",
          "85% of the lists have all gold on top, and so many of the others all of it at the "
          "bottom that chance gives it with ≤ 0.001; flagged where a ranker with an AUROC of "
          "0.993 would err so rarely with chance ≤ 0.001",
          ("candidates",), separability.few_wrong_lists),
    Check("L023", "TUNE unlike EVAL",
          "flagged where 1 − AUROC differs by a factor of 2 or more, or the probabilities of a "
          "class are apart by an AUROC of 0.75 or more, p ≤ 1e-05 by post",
          ("prob",), tune.tune_unlike_eval),
    Check("L024", "rows that follow the gold",
          "all gold comes first in so many lists that an order which errs on 10% would do it with "
          "chance ≤ 0.001, and is right on 5% more pairs than the scores, p ≤ 1e-05; flagged where "
          "only the latter holds; unless rows keep the order of the scores, the text or the ids",
          ("candidates",), order.row_order),
    Check("L025", "sentences in the order of gold",
          "by rows or ids that are not in reading order, gold is first, or last, in so many posts "
          "that an order which errs on 10% would do it with chance ≤ 0.001; flagged where that is "
          "the reading order", ("sentences",), order.sentence_order),
    Check("L026", "threshold beside EVAL's choice",
          "in every fold it is nearer to what a rule chooses on EVAL than random halves of EVAL "
          "come to each other, chance ≤ 0.0001 over all rules; flagged from 0.001",
          ("prob",), nearness.near_eval),
    Check("L027", "a fold that is too easy",
          "flagged where 1 − AUROC of a fold is a quarter of that of the others or less, "
          "p ≤ 1e-05 by post over all folds", ("prob",), separability.easy_folds),
    Check("L101", "not repeatable", "the same call gives other bytes"),
    Check("L102", "answers that know EVAL gold",
          "predictions change by a byte when EVAL gold is removed, flipped or shuffled"),
    Check("L103", "answers without labels",
          "with shuffled TRAIN and TUNE labels an AUROC stays above 0.5 with its interval"),
    Check("L104", "answers that know the ids",
          "AUROC falls by 0.02 or more, p ≤ 0.001, when posts and sentences have other ids and "
          "white space, in the same order"),
    Check("L105", "answers that know genuine labels",
          "AUROC falls so when one label is removed from TRAIN and one from TUNE"),
)  # fmt: skip


def run_checks(facts: Facts, settings: Settings) -> tuple[Finding, ...]:
    """Every check on these facts; those that need a system are not applicable."""
    return tuple(Finding(each.code, each.title, _look(each, facts, settings)) for each in CHECKS)


def _look(check: Check, facts: Facts, settings: Settings) -> Seen:
    if check.look is None:
        return not_applicable(SYSTEM)
    for need in check.needs:
        if getattr(facts, need) is None:
            return not_applicable(LACKS[need])
    return check.look(facts, settings)
