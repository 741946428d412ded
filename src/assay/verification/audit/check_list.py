"""All checks, in the order of their codes."""

from __future__ import annotations

from assay.verification.audit.audit_report import (
    AuditCheck,
    AuditFinding,
    AuditSettings,
    Seen,
    not_applicable,
)
from assay.verification.audit.checks import (
    candidate_lists,
    decision_errors,
    fold_roles,
    label_copies,
    repeated_posts,
    row_order,
    separability,
    shared_sentences,
    threshold_nearness,
    threshold_origin,
    tune_sample,
)
from assay.verification.audit.facts import LACKS, Facts

SYSTEM = "needs a system that predicts: use assay.audit_system"

CHECKS = (
    AuditCheck(
        "L001", "post in two folds", "a post has more than one fold", ("folds",), repeated_posts.shared_posts
    ),
    AuditCheck(
        "L002",
        "query asked twice",
        "a query is repeated, or a post is asked about two criteria with the same text",
        (),
        repeated_posts.repeated_queries,
    ),
    AuditCheck(
        "L003",
        "same text in two folds",
        "posts with the same words (5 or more) are in two folds, or in TUNE and EVAL",
        ("texts",),
        repeated_posts.same_texts,
    ),
    AuditCheck(
        "L004",
        "nearly the same text in two folds",
        "the same for posts whose 3-word shingles have a Jaccard similarity ≥ 0.8 "
        "(`threshold`); MinHash proposes pairs, the exact sets decide",
        ("texts",),
        repeated_posts.near_texts,
    ),
    AuditCheck(
        "L005", "gold of another post", "refused when the corpus is read", (), repeated_posts.foreign_gold
    ),
    AuditCheck(
        "L006",
        "sentence id in two posts",
        "an id occurs in two posts, unless ids restart in each post",
        (),
        repeated_posts.shared_sentences,
    ),
    AuditCheck(
        "L007",
        "TUNE post that is scored",
        "a post is in TUNE and EVAL of the same fold",
        ("roles",),
        fold_roles.tune_in_eval,
    ),
    AuditCheck(
        "L008",
        "inner split by query",
        "a post is in TRAIN and TUNE of the same fold",
        ("roles",),
        fold_roles.train_in_tune,
    ),
    AuditCheck(
        "L009",
        "TRAIN post that is scored",
        "a post is in TRAIN and EVAL of the same fold",
        ("roles",),
        fold_roles.train_in_eval,
    ),
    AuditCheck(
        "L010",
        "probability derived from the label",
        "each probability is the label, or every query with evidence is above all others, or "
        "the gold count determines it: in every fold, on so many queries that a system with 2% "
        "errors and one with an AUROC of 0.995 would each do it with chance ≤ 0.001; or in one "
        "fold, if the errors in the other folds make it that unlikely",
        ("prob",),
        label_copies.prob_of_label,
    ),
    AuditCheck(
        "L011",
        "score derived from the gold",
        "all gold is ranked first: in so many lists that a system with 10% wrong lists and one "
        "with an AUROC of 0.993 would each do it with chance ≤ 0.001 (otherwise flagged); or in "
        "the lists of one fold, if the errors in the other folds make it that unlikely",
        ("candidates",),
        label_copies.scores_of_gold,
    ),
    AuditCheck(
        "L012",
        "list length reveals the label",
        "within posts, the number of candidates separates 98% of the (evidence, no evidence) "
        "pairs, p ≤ 0.001 by permutation within posts, with at least 30 queries with evidence",
        ("candidates",),
        candidate_lists.telling_counts,
    ),
    AuditCheck(
        "L013",
        "unusual list lengths only with evidence",
        "lists whose length differs from the others of their post all have evidence, exact chance ≤ 0.001",
        ("candidates",),
        candidate_lists.odd_lists,
    ),
    AuditCheck(
        "L014",
        "gold never cut off",
        "lists leave out sentences but never gold, with so much gold in their last quarter that "
        "a cut that keeps 80% of it would do it with chance ≤ 0.001",
        ("candidates", "sentences"),
        candidate_lists.nothing_lost,
    ),
    AuditCheck(
        "L015",
        "gold first among ties",
        "gold comes first in all of at least 10 tie groups, exact chance ≤ 0.001; or in all but "
        "a few and more often than the scores are right; flagged if only the latter holds; "
        "unless ties follow the order of the text or of the ids",
        ("candidates",),
        row_order.gold_first,
    ),
    AuditCheck(
        "L016",
        "threshold without TUNE",
        "there are `threshold_…` columns but no TUNE queries",
        ("prob",),
        threshold_origin.without_tune,
    ),
    AuditCheck(
        "L017",
        "threshold from EVAL",
        "its rule (or a common one, if it names none) gives this value on EVAL in every fold, and "
        "none gives it on TUNE; chance ≤ 0.001",
        ("prob",),
        threshold_origin.from_eval,
    ),
    AuditCheck(
        "L018",
        "threshold not from TUNE",
        "its rule gives a different value on TUNE",
        ("prob",),
        threshold_origin.not_from_tune,
    ),
    AuditCheck(
        "L019",
        "sentences of a post in two folds",
        "half of a post's words (at least 20, in 2 sentences) are in sentences that also occur in "
        "a post of another fold, with 75% of the words in common; flagged for a quarter (at least "
        "40 words, in 3 sentences) with 60% in common",
        ("texts",),
        shared_sentences.copied_sentences,
    ),
    AuditCheck(
        "L020",
        "copies inside one fold",
        "flagged if such posts are in the same fold",
        ("texts",),
        shared_sentences.copies_in_fold,
    ),
    AuditCheck(
        "L021",
        "too few errors in the probabilities",
        "so few errors that a system whose miss and false alarm rates sum to 3% would make as "
        "few with chance ≤ 0.001, while the highest candidate score makes 5 times as many; "
        "flagged if it does not, or if there is none",
        ("prob",),
        separability.few_errors,
    ),
    AuditCheck(
        "L022",
        "too few errors in the lists",
        "85% of the lists have all gold at the top, and so many of the others have all of it at "
        "the bottom that the chance is ≤ 0.001; flagged if a ranker with an AUROC of 0.993 "
        "would make so few errors with chance ≤ 0.001",
        ("candidates",),
        separability.few_wrong_lists,
    ),
    AuditCheck(
        "L023",
        "TUNE unlike EVAL",
        "flagged if 1 − AUROC differs by a factor of at least 2, or if the probabilities of a "
        "class differ between the two with an AUROC of at least 0.75, p ≤ 1e-05 by post",
        ("prob",),
        tune_sample.tune_unlike_eval,
    ),
    AuditCheck(
        "L024",
        "rows that follow the gold",
        "all gold comes first in so many lists that an order with 10% errors would do it with "
        "chance ≤ 0.001, and the order is right on 5% more pairs than the scores, p ≤ 1e-05; "
        "flagged if only the latter holds; unless rows are sorted by score, text or id",
        ("candidates",),
        row_order.row_order,
    ),
    AuditCheck(
        "L025",
        "sentences in the order of gold",
        "in the order of rows or ids, if it is not the reading order, gold is first (or last) in "
        "so many posts that an order with 10% errors would do it with chance ≤ 0.001; flagged "
        "if it is the reading order",
        ("sentences",),
        row_order.sentence_order,
    ),
    AuditCheck(
        "L026",
        "threshold too close to EVAL's choice",
        "in every fold it is closer to what a rule chooses on EVAL than the choices of random "
        "halves of EVAL are to each other, chance ≤ 0.0001 over all rules; flagged from 0.001",
        ("prob",),
        threshold_nearness.near_eval,
    ),
    AuditCheck(
        "L027",
        "a fold that is too easy",
        "flagged if 1 − AUROC of a fold is at most a quarter of that of the others, "
        "p ≤ 1e-05 by post over all folds",
        ("prob",),
        separability.easy_folds,
    ),
    AuditCheck(
        "L028",
        "decisions derived from the gold",
        "K ≥ 1 or the state errs so rarely that miss and false alarm rates that sum to 3% have chance "
        "≤ 0.001, and no threshold of probability or score errs less than 5 times as often; or K is "
        "the gold count, where unusual, too often for 10% errors (chance ≤ 0.001), also where scores "
        "misplace gold (for 50%); flagged if only the former",
        ("decisions",),
        decision_errors.decisions_of_gold,
    ),
    AuditCheck("L101", "not repeatable", "the same call returns different bytes"),
    AuditCheck(
        "L102",
        "predictions depend on EVAL gold",
        "at least one byte of the predictions changes if EVAL gold is removed, flipped or shuffled",
    ),
    AuditCheck(
        "L103",
        "predictions survive shuffled labels",
        "with shuffled TRAIN and TUNE labels, the interval of an AUROC stays above 0.5",
    ),
    AuditCheck(
        "L104",
        "predictions depend on ids",
        "AUROC falls by at least 0.02, p ≤ 0.001, if posts and sentences get other ids and "
        "whitespace, in the same order",
    ),
    AuditCheck(
        "L105",
        "predictions detect altered labels",
        "AUROC falls by as much if one label is removed from TRAIN and one from TUNE, whichever of three",
    ),
    AuditCheck(
        "L106",
        "predictions depend on earlier folds",
        "at least one byte of a fold's predictions changes if it runs alone, in a separate process "
        "(only with stages of your own)",
    ),
    AuditCheck(
        "L107",
        "a stage opens files",
        "a stage of your own opens the gold of the corpus; flagged if it opens another file of the corpus, "
        "writes a file or starts a program",
    ),
)


def run_checks(facts: Facts, settings: AuditSettings) -> tuple[AuditFinding, ...]:
    """Run every check on these facts; those that need a system are not applicable."""
    return tuple(AuditFinding(each.code, each.title, _look(each, facts, settings)) for each in CHECKS)


def _look(check: AuditCheck, facts: Facts, settings: AuditSettings) -> Seen:
    if check.look is None:
        return not_applicable(SYSTEM)
    for need in check.needs:
        if getattr(facts, need) is None:
            return not_applicable(LACKS[need])
    return check.look(facts, settings)
