"""Systems that learn fairly raise no alarm; systems that meet the gold of EVAL do."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import count
from typing import Any

import polars as pl
import pytest
from threadpoolctl import threadpool_limits

import assay
from tests.verification.audit import leaks
from tests.verification.audit.synthetic import QUERY, corpus_tables
from tests.verification.audit.systems import FAIR, LEAKS, labels, tfidf

FEW: dict[str, Any] = {"shuffles": 3, "resamples": 300}


@cache
def corpus(seed: int, posts: int = 60) -> assay.Corpus:
    return assay.Corpus.of(**corpus_tables(seed, posts=posts))


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Small matrices are slower on many threads."""
    with threadpool_limits(1):
        yield


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", FAIR)
def test_a_fair_system_raises_no_alarm(name: str, seed: int) -> None:
    report = assay.audit_system(FAIR[name], corpus(seed), seed=seed, whole=seed % 2 == 0, **FEW)
    assert report.leaks == ()
    codes = ("L101", "L102", "L103", "L104", "L105")
    assert [report[code].verdict for code in codes] == ["clean"] * 5
    assert report.flags == ()
    numbers: dict[str, Any] = dict(report["L103"].seen.numbers)
    assert numbers["query_auroc"] > numbers["query_shuffled"] + 0.05  # it does learn something
    answers = {item.number: item.answer for item in report.checklist}
    assert answers[4] == "yes"


@pytest.mark.parametrize("name", LEAKS)
def test_a_leaking_system_is_found(name: str) -> None:
    report = assay.audit_system(LEAKS[name], corpus(3), whole=True, shuffles=2, resamples=100)
    assert "L102" in [each.code for each in report.leaks]
    assert report["L102"].seen.examples
    answers = {item.number: item.answer for item in report.checklist}
    assert answers[4] == "no"


def test_at_least_ten_of_them() -> None:
    assert len(LEAKS) >= 10


@pytest.mark.parametrize(
    "name", ["fitted_on_everything", "prob_is_the_label", "base_rate_of_the_whole_corpus"]
)
def test_gold_from_elsewhere_survives_the_shuffle(name: str) -> None:
    """A system that reads gold behind the audit's back is not stopped by views without gold."""
    secret = corpus(3)

    def closed(train: Any, tune: Any, new: Any) -> Any:
        return LEAKS[name](train, tune, new, secret)

    report = assay.audit_system(closed, secret, **FEW)
    assert "L103" in [each.code for each in report.leaks]
    numbers: dict[str, Any] = dict(report["L103"].seen.numbers)
    assert max(numbers.get("candidate_low", 0.0), numbers["query_low"]) > 0.5


@pytest.mark.parametrize(
    ("cheat", "codes"),
    [(0, {"L102"}), (1, {"L104", "L105"}), (2, {"L104"}), (3, {"L104", "L105"}), (4, set())],
)
def test_a_system_that_cheats_while_labels_are_genuine(cheat: int, codes: set[str]) -> None:
    """Half of its answers are looked up; the last one, by text, is beyond what can be seen."""
    report = leaks.systems.audited(leaks.systems.CHEATS[cheat], 0.5, 0)
    assert codes <= {each.code for each in report.leaks}
    assert report["L103"].verdict == "clean"
    if not codes:
        assert report.leaks == ()
    answers = {item.number: item.answer for item in report.checklist}
    assert answers[4] == ("no" if codes else "yes")


def test_an_honest_system_under_other_names() -> None:
    report = leaks.systems.audited(None, 0.0, 0)
    assert report.leaks == report.flags == ()
    assert report["L104"].seen.why == "the same bytes"
    assert report["L105"].seen.numbers["folds"] == 3


@pytest.mark.parametrize(("upset_by", "verdict"), [(1, "clean"), (3, "found")])
def test_a_system_that_single_labels_upset(upset_by: int, verdict: str) -> None:
    """With few labels one of them may matter; if any altered label does, the system checks for genuine ones."""
    first: dict[tuple[str, ...], list[tuple[str, str]]] = {}

    def predict(train: Any, tune: Any, new: Any) -> pl.DataFrame:
        labelled = train.gold.select(QUERY).unique().sort(QUERY).rows()
        key = tuple(new.queries["post_id"])
        known = first.setdefault(key, labelled[:upset_by])
        many = pl.col("text").str.count_matches(pl.col("criterion_id").str.to_lowercase() + "key")
        rows = new.queries.select(QUERY).join(new.sentences, on="post_id", maintain_order="left")
        made = rows.group_by(QUERY, maintain_order=True).agg(many.sum().alias("many"))
        sign = 1 if set(known) <= set(labelled) else 0
        return made.select(*QUERY, (sign * pl.col("many") / 20).alias("prob"))

    report = assay.audit_system(predict, corpus(3), prior=True, **FEW)
    assert report["L105"].verdict == verdict


def test_the_answers_of_a_system_are_looked_at_too() -> None:
    report = assay.audit_system(LEAKS["prob_is_the_label"], corpus(3, 90), whole=True, **FEW)
    assert "L010" in [each.code for each in report.leaks]


def test_a_system_that_is_not_repeatable() -> None:
    calls = count()

    def restless(train: Any, tune: Any, new: Any, whole: Any) -> pl.DataFrame:
        return new.queries.select(QUERY, prob=pl.lit(1 / (2 + next(calls))))

    report = assay.audit_system(restless, corpus(3), whole=True, **FEW)
    assert report["L101"].verdict == "found"
    assert report["L102"].verdict == "not applicable"


def test_one_that_knows_something_before_it_learns() -> None:
    """Lexical overlap needs no label: said so, it is no leak; not said, it looks like one."""

    def overlap(train: Any, tune: Any, new: Any) -> pl.DataFrame:
        rows = new.queries.select(QUERY).join(new.sentences, on="post_id", maintain_order="left")
        key = pl.col("criterion_id").str.to_lowercase() + "key"
        many = pl.col("text").str.count_matches(key)
        made = rows.group_by(QUERY, maintain_order=True).agg(many.sum().alias("many"))
        return made.select(*QUERY, (pl.col("many") / 20).alias("prob"))

    assert assay.audit_system(overlap, corpus(3), **FEW)["L103"].verdict == "found"
    report = assay.audit_system(overlap, corpus(3), prior=True, **FEW)
    assert report.leaks == ()
    assert report["L103"].verdict == "not applicable"


@pytest.mark.parametrize("knows", [False, True])
def test_the_number_of_candidates_is_known_from_shuffled_labels_too(knows: bool) -> None:
    """One gold sentence in each post of 2 to 20: a candidate among few is evidence more often."""
    sizes = {f"p{at}": 2 + 3 * (at % 7) for at in range(70)}
    rows = [(post, f"{post}.{at}", at, f"{post} {at}") for post, size in sizes.items() for at in range(size)]
    sentences = pl.DataFrame(rows, ["post_id", "sent_uid", "position", "text"], orient="row")
    secret = sentences.filter(pl.col("position") == pl.col("position").len().over("post_id") // 2)
    criteria = pl.DataFrame({"criterion_id": ["c"], "text": ["c"]})
    gold = secret.select("post_id", "sent_uid", criterion_id=pl.lit("c"))

    def by_number(_train: Any, _tune: Any, new: Any) -> pl.DataFrame:
        hit = pl.col("sent_uid").is_in(secret["sent_uid"].implode()) if knows else pl.lit(False)
        score = hit.cast(float) - pl.len().over("post_id")
        return new.sentences.select("post_id", "sent_uid", criterion_id=pl.lit("c"), score=score)

    made = assay.Corpus.of(sentences=sentences, criteria=criteria, gold=gold)
    seen = assay.audit_system(by_number, made, **FEW)["L103"]
    assert seen.verdict == ("found" if knows else "clean")
    assert "by the number of candidates alone" in seen.seen.looked_at


def test_what_a_system_is_given() -> None:
    seen: list[dict[str, set[str]]] = []

    def look(train: Any, tune: Any, new: Any) -> pl.DataFrame:
        assert not hasattr(new, "gold")
        seen.append(
            {
                name: set(view.sentences["post_id"])
                for name, view in (("train", train), ("tune", tune), ("new", new))
            }
        )
        for view in (train, tune):
            assert set(view.gold["post_id"]) <= set(view.queries["post_id"])
        return new.queries.select(QUERY, prob=pl.lit(0.5))

    made = corpus(3)
    assay.audit_system(look, made, **FEW)
    assert made.folds is not None
    folds = dict(made.folds.frame.iter_rows())
    assert len(seen) == 3 * (4 + FEW["shuffles"])
    renamed = [roles for roles in seen if not set().union(*roles.values()) & set(folds)]
    assert len(renamed) == 3
    names = dict(zip(sorted(set().union(*renamed[0].values())), sorted(folds), strict=True))
    for roles in seen:
        assert not roles["train"] & roles["tune"]
        assert not (roles["train"] | roles["tune"]) & roles["new"]
        posts = {role: {names.get(post, post) for post in each} for role, each in roles.items()}
        assert set().union(*posts.values()) == set(folds)
        assert len({folds[post] for post in posts["new"]}) == 1


def test_folds_of_ones_own() -> None:
    made = corpus(3)
    posts = made.sentences.frame["post_id"].unique(maintain_order=True).to_list()
    calls = []

    def look(train: Any, tune: Any, new: Any) -> pl.DataFrame:
        calls.append(sorted(set(new.queries["post_id"])))
        return new.queries.select(QUERY, prob=pl.lit(0.5))

    assay.audit_system(look, made, folds={post: at % 2 for at, post in enumerate(posts)}, **FEW)
    assert calls[:2] == [posts[0::2], posts[1::2]]
    calls.clear()
    assay.audit_system(look, made, folds=6, shuffles=2, resamples=10)
    assert len(calls) == 6 * (4 + 2)
    with pytest.raises(assay.InputError, match="lacks post"):
        assay.audit_system(look, made, folds={posts[0]: 1})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda made: made.head(-1), "lacks 3 queries"),
        (lambda made: pl.concat([made, made.head(1)]), "repeated"),
        (lambda made: made.with_columns(prob=pl.lit(1.5)), "no probability in"),
        (lambda made: made.drop("prob"), "has no column prob"),
        (lambda made: {"answers": made}, "has answers"),
        (lambda made: 3, "is an int"),
    ],
)
def test_an_answer_with_faults_is_refused(change: Any, words: str) -> None:
    def poor(train: Any, tune: Any, new: Any) -> Any:
        return change(new.queries.select(QUERY, prob=pl.lit(0.5)))

    with pytest.raises(assay.InputError, match=words):
        assay.audit_system(poor, corpus(3), **FEW)


def test_predictions_are_an_answer() -> None:
    def given(train: Any, tune: Any, new: Any) -> assay.Predictions:
        made = tfidf(train, tune, new)
        return assay.Predictions.of(made["candidates"], made["decisions"])

    report = assay.audit_system(given, corpus(3), **FEW)
    same = assay.audit_system(tfidf, corpus(3), **FEW)
    assert report.to_dict()["findings"] == same.to_dict()["findings"]


def test_labels_of_the_helper() -> None:
    made = corpus(3)
    target = labels(made.queries.frame, made.gold.frame)
    assert target.sum() == made.gold.frame.select(QUERY).n_unique()
