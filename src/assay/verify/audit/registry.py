"""All checks, in the order of their codes."""

from __future__ import annotations

from assay.verify.audit.checks import candidates, labels, posts, roles, thresholds
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
          "a query is there twice, or two criteria have the same words", (),
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
          "would do it with chance ≤ 0.001; or in one, where the errors of the others make it that "
          "rare",
          ("prob",), labels.prob_of_label),
    Check("L011", "score from the gold",
          "gold is above all others: in every list, of so many that a system which errs on 10 % "
          "would do it with chance ≤ 0.001; or in those of one fold, where the errors of the "
          "others make it that rare", ("candidates",), labels.scores_of_gold),
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
          "in all of 10 tie groups or more gold comes first, exact chance ≤ 0.001",
          ("candidates",), candidates.gold_first),
    Check("L016", "threshold without TUNE",
          "columns `threshold_…` are there and no TUNE queries", ("prob",),
          thresholds.without_tune),
    Check("L017", "threshold from EVAL",
          "its rule, or a usual one where it names none, gives it on EVAL in every fold, and none "
          "gives it on TUNE; chance ≤ 0.001", ("prob",), thresholds.from_eval),
    Check("L018", "threshold not from TUNE", "its rule gives another value on TUNE", ("prob",),
          thresholds.not_from_tune),
    Check("L101", "not repeatable", "the same call gives other bytes"),
    Check("L102", "answers that know EVAL gold",
          "predictions change by a byte when EVAL gold is removed or flipped"),
    Check("L103", "answers without labels",
          "with shuffled TRAIN and TUNE labels an AUROC stays above 0.5 with its interval"),
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
