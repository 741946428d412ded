"""What the page says first: decisions, certificates, concerns, comparison; and what it hides."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from assay.report.figures.measure_figures import InterpolatedPrecisionDisplay
from assay.report.page.compared_runs import compared_runs
from assay.report.page.concerns import concerns, percent
from assay.report.page.deployed_decisions import certificates, deployment, presets, untrained
from assay.report.page.packed_columns import unpacked
from assay.report.page.point_sentence import operating_point, rule_words
from assay.report.page.query_lists import shown_digits
from assay.report.report_bundle import Bundle, report_bundle
from assay.report.report_folder import write_page
from tests.command import exit_code
from tests.report import worlds


def packed_of(page: Path, kind: str = "run") -> str:
    found = re.search(
        rf'<script class="{kind}" type="application/octet-stream">([^<]*)</script>', page.read_text("utf-8")
    )
    assert found is not None
    return found[1]


def test_actions_are_counted_per_fold(example: Path) -> None:
    table = pl.read_csv(example / "per_query.csv")
    made = deployment(report_bundle(example))
    assert made is not None
    assert made["actions"] == ["skipped", "sent to review", "alerted"]
    for fold, *shown in [[None, *made["all"]], *made["folds"]]:
        rows = table if fold is None else table.filter(pl.col("fold").cast(pl.String) == fold)
        for part, counts in zip((rows, rows.filter(pl.col("has_evidence") == 1)), shown, strict=True):
            want = [part.filter(pl.col("state") == state).height for state in ("NEG", "UNCERTAIN", "POS")]
            assert counts == want


def test_criteria_that_were_not_in_training_are_named(made: Path) -> None:
    shown = worlds.tables(12, ["A", "B", "C"], 2)
    assert untrained(report_bundle(worlds.bundle_of(shown, made / "all_in_training"))) == []
    mark = pl.when(pl.col("criterion_id") == "B").then(pl.lit("no")).otherwise(pl.lit("yes"))
    shown["decisions"] = shown["decisions"].with_columns(mark.alias("in_training"))
    folder = worlds.bundle_of(shown, made / "one_not_in_training")
    assert untrained(report_bundle(folder)) == ["B"]
    assert assay.verify(folder).ok


def test_a_table_of_probabilities_is_flagged_at_one_half(made: Path) -> None:
    folder = worlds.decisions_alone(made / "flagged")
    table = pl.read_csv(folder / "per_query.csv")
    shown = deployment(report_bundle(folder))
    assert shown is not None
    assert "0.5" in shown["point"]
    flagged = table.filter(pl.col("prob") >= 0.5)
    assert shown["all"][0] == [table.height - flagged.height, flagged.height]
    assert shown["all"][1][1] == flagged["has_evidence"].sum()


def test_a_ranking_decides_nothing(made: Path) -> None:
    assert deployment(report_bundle(worlds.plain_ir(made / "ranks_only"))) is None


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """One fold whose states are those of the thresholds that TUNE chose for the two promises."""
    made = worlds.tables(60, ["A", "B"], 3)
    rng = np.random.default_rng(5)
    labels = (rng.random(300) < 0.4).astype(int)
    prob = np.round(np.clip(0.25 + 0.5 * labels + rng.normal(0, 0.18, 300), 0, 1), 4)
    posts = [f"t{at}" for at in range(300)]
    low = assay.choose_threshold(prob, labels, "sensitivity_0.995", posts=posts)
    high = assay.choose_threshold(prob, labels, "precision_0.90", posts=posts)
    p = made["decisions"]["prob"].to_numpy()
    states = np.where(p < low.value, "NEG", np.where(p >= high.value, "POS", "UNCERTAIN"))
    made["decisions"] = made["decisions"].with_columns(
        pl.Series("state", states),
        pl.Series("selected_k", np.where(states == "NEG", 0, 1)),
        pl.lit(low.value).alias("tau_neg"),
        pl.lit(high.value).alias("tau_pos"),
    )
    made.pop("folds")
    folder = tmp_path_factory.mktemp("tuned")
    bundle = report_bundle(worlds.bundle_of(made, folder / "bundle"))
    thresholds = (low, high)
    return Bundle(replace(bundle.result, thresholds=thresholds), bundle.loaded, None)


def test_a_certificate_stands_beside_its_target(tuned: Bundle) -> None:
    low, high = tuned.result.thresholds
    found = certificates(tuned)
    assert low.certified is False
    needed = next(n for n in range(1, 2000) if 0.995**n <= 0.1)  # no miss among n at 90% confidence
    text = found["screening_sensitivity"]["text"]
    assert text == f"not certifiable: {low.positives} positives, worth {low.units:.0f} of the {needed} needed"
    assert found["screening_fn_per_1000"]["status"] == "not certifiable"
    assert found["alert_precision"]["status"] == ("certified" if high.certified else "not certifiable")


def test_a_threshold_that_is_not_deployed_certifies_nothing(tuned: Bundle) -> None:
    low, high = tuned.result.thresholds
    other = replace(low, value=low.value / 2, certified=True)
    moved = Bundle(replace(tuned.result, thresholds=(other, high)), tuned.loaded, None)
    assert certificates(moved)["screening_sensitivity"]["status"] == "none"
    certified = replace(low, certified=True)
    kept = Bundle(replace(tuned.result, thresholds=(certified, high)), tuned.loaded, None)
    assert certificates(kept)["screening_sensitivity"]["status"] == "certified"


def test_presets_are_the_medians_of_the_rules(tuned: Bundle) -> None:
    low, _ = tuned.result.thresholds
    rows = tuple(replace(low, value=value, fold=str(at)) for at, value in enumerate((0.1, 0.3, 0.2)))
    made = presets(Bundle(replace(tuned.result, thresholds=rows), tuned.loaded, None))
    assert [(each["rule"], each["sets"], each["value"], each["range"]) for each in made] == [
        ("sensitivity_0.995", "low", 0.2, [0.1, 0.3])
    ]


def test_concerns_name_what_a_reader_must_know(made: Path) -> None:
    tables = worlds.tables(30, ["A", "B"], 9)
    unsure = pl.when(pl.col("criterion_id") == "B").then(pl.lit("UNCERTAIN"))
    tables["decisions"] = tables["decisions"].with_columns(
        unsure.otherwise(pl.col("state")).alias("state"),
        pl.when(pl.col("criterion_id") == "B").then(1).otherwise(pl.col("selected_k")).alias("selected_k"),
    )
    found = concerns(report_bundle(worlds.bundle_of(tables, made / "unsure")))
    texts = " ".join(each["text"] for each in found)
    assert "All queries of B are UNCERTAIN" in texts
    assert "People still have to review" in texts
    assert "No guarantee for new data" in texts


def test_a_better_baseline_is_a_concern(example: Path) -> None:
    bundle = report_bundle(example)
    auroc, ece = bundle.result["auroc"].value, bundle.result["ece"].value
    listed = [
        {"name": "bm25", "title": "BM25", "values": {"auroc": auroc + 0.01}},
        {"name": "random", "title": "Random order", "values": {"auroc": auroc, "ece": ece / 2}},
        {"name": "oracle", "title": "Oracle", "values": {"auroc": 1.0}},
    ]
    document = {**bundle.loaded.document, "baselines": listed}
    changed = Bundle(bundle.result, replace(bundle.loaded, document=document), None)
    said = [each["text"] for each in concerns(changed) if "baseline" in each["text"]]
    assert said == ["The baseline 'BM25' is better on auroc."]


def test_each_operating_point_has_its_own_name() -> None:
    points = [
        {"at": "0.5"},
        {"at": "not_neg"},
        {"at": "pos"},
        {"at": "returned"},
        {"at": "tune"},
        {"at": "tune_f1"},
    ]
    named = [operating_point(each, "fpr_0.05") for each in points]
    assert len(set(named)) == len(points)
    assert "fpr_0.05" in str(named[4])
    assert operating_point({"k": 10}, None) is None


def test_the_comparison_is_that_of_compare(five: list[Path]) -> None:
    shown = compared_runs([report_bundle(each) for each in five[:2]])
    made = assay.compare(*five[:2])
    assert shown["pairs"] == [[0, 1]]
    assert {each["name"] for each in shown["differences"]} == {each.name for each in made.differences}
    for each in shown["differences"]:
        want = made[each["name"]]
        assert (each["difference"], each["low"], each["high"]) == (
            want.difference,
            want.interval.low,
            want.interval.high,
        )
        assert each["holm"] == want.randomisation.holm
        if want.outcomes is not None:
            assert (each["wins"], each["losses"]) == (want.outcomes.wins, want.outcomes.losses)


def test_what_cannot_be_compared_says_why(example: Path, made: Path) -> None:
    other = worlds.decisions_alone(made / "another")
    found = compared_runs([report_bundle(example), report_bundle(other)])
    assert found["differences"] == []
    assert found["reason"]


def test_scores_keep_the_digits_that_are_shown() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 1, 20_000) * 10 ** rng.integers(-6, 6, 20_000).astype(float)
    kept = shown_digits(scores)
    assert [f"{value:.3g}" for value in kept.tolist()] == [f"{value:.3g}" for value in scores.tolist()]
    assert (kept.view(np.uint32) & 0x3FF == 0).all()
    assert shown_digits(np.array([0.0, -0.0])).tolist() == [0.0, 0.0]


def test_small_counts_are_not_in_the_page(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "small.html"
    assert exit_code(monkeypatch, "report", example, "--suppress-below", "10", "-o", target) == 0
    document, columns = unpacked(packed_of(target))
    assert columns == {}
    assert "posts" not in document
    assert document["suppress_below"] == 10
    counts = [
        n
        for row in [["all", *document["deployment"]["all"]], *document["deployment"]["folds"]]
        for part in row[1:]
        for n in part
    ]
    assert all(n == 1 or n % 10 == 0 for n in counts)
    for group in document["groups"].values():
        for _, cells in group["rows"]:
            for cell in filter(None, cells):
                assert (cell[3] or 0) >= 10 or cell[:3] == [None, None, None]
    for measure in document["measures"]:
        if measure["hits"] is not None:
            assert (
                measure["hits"] in (0, measure["trials"]) or 10 <= measure["hits"] <= measure["trials"] - 10
            )


@pytest.fixture(scope="module")
def few_missed(made: Path) -> Path:
    """300 queries of which 2 of 120 with evidence are missed and 4 of 30 alerts are false, and a small ward."""
    label = np.repeat([1, 0], [120, 180])
    state = np.array(["NEG"] * 2 + ["UNCERTAIN"] * 92 + ["POS"] * 26 + ["POS"] * 4 + ["NEG"] * 176)
    prob = np.where(state == "NEG", 0.1, np.where(state == "POS", 0.9, 0.5))
    names = [f"p{at:03d}" for at in range(300)]
    query = {"post_id": names, "criterion_id": ["a"] * 100 + ["b"] * 100 + ["c"] * 96 + ["d"] * 4}
    tables = {
        "sentences": pl.DataFrame({"post_id": names, "sent_uid": names, "position": 1, "text": "x"}),
        "criteria": pl.DataFrame({"criterion_id": list("abcd"), "text": list("abcd")}),
        "queries": pl.DataFrame(query),
        "gold": pl.DataFrame({**query, "sent_uid": names}).filter(label == 1),
        "candidates": pl.DataFrame({**query, "sent_uid": names, "score": prob}),
        "decisions": pl.DataFrame(
            {**query, "prob": prob, "selected_k": (state != "NEG").astype(int), "state": state}
        ),
    }
    corpus: dict[str, Any] = {name: tables[name] for name in ("sentences", "criteria", "queries", "gold")}
    answers: dict[str, Any] = {name: tables[name] for name in ("candidates", "decisions")}
    result = assay.evaluate(
        assay.Predictions.of(**answers), assay.Corpus.of(**corpus), by="default", bootstrap=worlds.CI
    )
    return result.save(made / "few missed")


def test_no_value_gives_a_small_count_away(few_missed: Path) -> None:
    """Every number of the page that is a share of 120, 180 or 30 queries would tell 2 or 4."""
    page = write_page([few_missed], few_missed.parent / "few missed.html", suppress_below=10)
    document, _ = unpacked(packed_of(page))
    shown = {each["name"]: each for each in document["measures"]}
    for name in ("screening_sensitivity", "screening_miss_rate", "screening_fn_per_1000", "alert_precision"):
        assert shown[name]["value"] is None
        assert [shown[name][key] for key in ("pooled", "low", "high", "hits", "trials")] == [None] * 5
    assert shown["screening_sensitivity"]["bound"] == "above 0.916"  # 110 of 120
    assert shown["alert_precision"]["bound"] == "above 0.666"  # 20 of 30
    told = [118 / 120, 2 / 120, 1000 * 2 / 300, 26 / 30, 4 / 30, 4 / 180, 176 / 180, 176 / 178, 118 / 122]
    numbers = [
        number
        for each in document["measures"]
        for key in ("value", "pooled")
        if (number := each[key]) is not None
    ]
    assert not [number for number in numbers for one in told if abs(number - one) < 5e-4]
    assert not [point for point in document["figures"]["roc"]["points"] if point["tpr"] > 0.9]
    curve = zip(document["figures"]["roc"]["x"], document["figures"]["roc"]["y"], strict=True)
    assert all(round(180 * x) in (0, 180) or 10 <= 180 * x <= 170 for x, _ in curve)
    by_criterion = document["groups"]["criterion_id"]
    brier = by_criterion["measures"].index("brier")
    sizes = {name: cells[brier][3] for name, cells in by_criterion["rows"] if cells[brier][0] is None}
    assert sizes == {"c": None, "d": 1}  # the total would give d away
    assert document["deployment"]["mistaken"] == 1  # "fewer than 10"
    plain = page.read_text(encoding="utf-8").partition("Headline measures")[2].partition("<noscript>")[0]
    assert "auroc" in plain
    assert "evidence_recall" not in plain


@pytest.mark.parametrize("limit", ["0", "1", "x"])
def test_a_limit_that_hides_nothing_is_refused(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    target = tmp_path / "page.html"
    assert exit_code(monkeypatch, "report", example, "--suppress-below", limit, "-o", target) == 2
    assert not target.exists()


def test_reading_order_and_marked_words_come_with_text(example: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run" / "bundle"
    worlds.example_bundle(folder)
    first = pl.read_csv(worlds.EXAMPLE / "predictions" / "candidates.csv").row(0, named=True)
    words = tmp_path / "run" / "predictions"
    words.mkdir()
    pl.DataFrame(
        {
            "post_id": [first["post_id"]],
            "criterion_id": [first["criterion_id"]],
            "about": ["word"],
            "sent_uid": [first["sent_uid"]],
            "feature": ["sleep"],
            "contribution": [0.25],
        }
    ).write_parquet(words / "explanations.parquet")
    without, _ = unpacked(packed_of(write_page([folder], tmp_path / "without.html")))
    assert "words" not in without
    made, columns = unpacked(
        packed_of(write_page([folder], tmp_path / "with.html", with_text=worlds.EXAMPLE / "corpus"))
    )
    ((query, rows),) = made["words"].items()
    post = int(columns["post"][int(query)])
    assert made["posts"][post] == first["post_id"]
    assert [(made["items"][post][item], word, by) for item, word, by in rows] == [
        (first["sent_uid"], "sleep", 0.25)
    ]
    position = dict(
        pl.read_csv(worlds.EXAMPLE / "corpus" / "sentences.csv").select("sent_uid", "position").iter_rows()
    )
    for items, places in zip(made["items"], made["positions"], strict=True):
        assert places == [position[item] for item in items]


def test_a_conformal_threshold_claims_what_it_can(made: Path) -> None:
    """A rule for a sensitivity on average is no rule without a claim: the page says what it gives."""
    folder = made / "conformal"
    folder.mkdir()
    rows = "".join(f"{at % 2},{at / 80},p{at // 2}\n" for at in range(80))
    (folder / "rows.csv").write_text("label,prob,patient\n" + rows, encoding="utf-8")
    result = assay.evaluate(assay.read_decisions(folder / "rows.csv", group="patient"), tune_share=0.5)
    notes = {each["rule"]: each["note"] for each in presets(report_bundle(result.save(folder / "bundle")))}
    assert notes["conformal_0.995"] == "too few posts for any miss: every query is decided positive"
    assert notes["fpr_0.05"] == ""


def test_a_table_without_evidence_says_so(made: Path) -> None:
    folder = made / "no evidence"
    folder.mkdir()
    rows = "".join(f"0,{at / 100}\n" for at in range(80))
    (folder / "rows.csv").write_text("label,prob\n" + rows, encoding="utf-8")
    result = assay.evaluate(assay.read_decisions(folder / "rows.csv"), bootstrap=worlds.CI)
    texts = [each["text"] for each in concerns(report_bundle(result.save(folder / "bundle")))]
    assert "No query has evidence: what the system finds and misses cannot be measured." in texts


def test_shares_are_rounded_as_on_the_rest_of_the_page() -> None:
    """Half goes up, as in `toFixed` of the scripts: 1 of 8 queries is 13% on both."""
    assert [percent(n / 8) for n in (1, 3, 5, 7)] == ["13%", "38%", "63%", "88%"]


def test_rules_are_in_words() -> None:
    assert rule_words("precision_0.90") == "precision of at least 90%"
    assert rule_words("f1") == "highest F1"
    assert rule_words("my_rule") is None


def test_a_low_recall_is_held_against_what_is_possible(made: Path) -> None:
    """30 relevant items per query, of which 10 fit: the oracle's recall@10 is 1/3."""
    judged = {f"q{at}": {f"d{item}": int(item < 30) for item in range(40)} for at in range(4)}
    run = {f"q{at}": {f"d{39 - item}": 40.0 - item for item in range(40)} for at in range(4)}
    folder = assay.evaluate(run, qrels=judged).save(made / "recall")
    texts = [each["text"] for each in concerns(report_bundle(folder))]
    assert "The first 10 hold only 0% of what is relevant (at most 33% fits)." in texts


def test_interpolated_precision_has_its_intervals(made: Path) -> None:
    judged = assay.read_trec(worlds.EXAMPLE / "qrels.txt", worlds.EXAMPLE / "run.txt")
    result = assay.evaluate(judged, contract="trec_eval/10", bootstrap=worlds.CI)
    data = InterpolatedPrecisionDisplay.of(result).data()
    first = result["iprec_at_recall_0.00"]
    assert first.interval is not None
    assert (data["low"][0], data["high"][0], data["n"]) == (first.interval.low, first.interval.high, first.n)
