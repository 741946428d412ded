"""`assay gate NEW --against OLD`: verdicts, margins, exit codes, outputs, and what is refused."""

from __future__ import annotations

import json
import os
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

import assay
from assay.errors import InputError, MeasureError
from assay.statistics.one_sided import OneSided, resampling_bias
from assay.statistics.student_t import t_quantile, upper_p
from assay.verification.regression.verdicts import Guarded, judge, overall
from tests.command import exit_code

Call = Callable[..., tuple[int, str]]
"""Call the command; its exit code, and what it prints on both streams."""
POSTS, SENTENCES = 60, 6


def corpus(gold_at: int = 2) -> assay.Corpus:
    rows = [(f"p{post:02}", f"p{post:02}s{at}", at) for post in range(POSTS) for at in range(SENTENCES)]
    posts, uids, places = map(list, zip(*rows, strict=True))
    sentences = {"post_id": posts, "sent_uid": uids, "position": places, "text": ["words"] * len(rows)}
    gold = [(f"p{post:02}", "c", f"p{post:02}s{gold_at}") for post in range(POSTS)]
    names = ("post_id", "criterion_id", "sent_uid")
    return assay.Corpus.of(
        sentences=pl.DataFrame(sentences),
        criteria=pl.DataFrame({"criterion_id": ["c"], "text": ["a question"]}),
        gold=pl.DataFrame(gold, schema=list(names), orient="row"),
    )


def predictions(gain: float, noise: float = 0.3, seed: int = 0) -> assay.Predictions:
    """The gold sentence scores `gain` higher than others: the larger, the higher it ranks."""
    rng = np.random.default_rng(seed)
    rows = []
    for post in range(POSTS):
        for at in range(SENTENCES):
            score = rng.normal(0, noise) + gain * (at == 2)
            rows.append((f"p{post:02}", "c", f"p{post:02}s{at}", score))
    names = ["post_id", "criterion_id", "sent_uid", "score"]
    return assay.Predictions.of(candidates=pl.DataFrame(rows, schema=names, orient="row"))


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*arguments: object) -> tuple[int, str]:
        code = exit_code(monkeypatch, *arguments)
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundles")
    answers = {"good": (0.5, 0), "near": (0.5, 1), "bad": (0.0, 2)}
    for name, (gain, seed) in answers.items():
        assay.evaluate(predictions(gain, seed=seed), corpus()).save(folder / name)
    assay.evaluate(predictions(0.5), corpus(gold_at=3)).save(folder / "other_grades")
    assay.evaluate(predictions(0.5), corpus(), contract="ir/1").save(folder / "ir")
    return folder


def verdict(folder: Path, new: str, old: str, **more: object) -> str:
    return assay.regression_gate(folder / new, folder / old, **more).verdict  # type: ignore[arg-type]


def test_verdicts(bundles: Path) -> None:
    margin = {"ndcg@10": -0.1}
    assert verdict(bundles, "good", "bad", allow=margin) == "better"
    assert verdict(bundles, "bad", "good", allow=margin) == "worse"
    assert verdict(bundles, "near", "good", allow={"ndcg@10": -0.2}) == "not worse"
    assert verdict(bundles, "near", "good", allow={"ndcg@10": -0.001}) == "undecided"
    assert verdict(bundles, "good", "good") == "not worse"  # the same predictions


def test_a_report_is_plain_data(bundles: Path) -> None:
    made = assay.regression_gate(
        bundles / "bad", bundles / "good", allow={"ndcg@10": -0.01}, measures=["hit@1"]
    )
    document = json.loads(json.dumps(made.to_dict()))
    assert document["verdict"] == made.verdict == "worse"
    assert (
        [each["name"] for each in document["measures"]]
        == ["ndcg@10", "hit@1"]
        == [each.name for each in made]
    )
    both = [assay.load(bundles / name)["ndcg@10"].value for name in ("good", "bad")]
    assert (made["ndcg@10"].old, made["ndcg@10"].new) == tuple(both)
    assert made["ndcg@10"].difference == both[1] - both[0]
    assert made["hit@1"].margin == 0.0
    with pytest.raises(MeasureError, match="is not guarded"):
        made["auroc"]


@pytest.mark.parametrize(
    ("allow", "margin"), [(-0.01, 0.01), ("-0.01", 0.01), (0.01, 0.01), ("0.01", 0.01), (0, 0.0)]
)
def test_margins(bundles: Path, allow: float | str, margin: float) -> None:
    made = assay.regression_gate(bundles / "near", bundles / "good", allow={"ndcg@10": allow})
    assert made["ndcg@10"].margin == margin


@pytest.mark.parametrize(
    ("allow", "message"),
    [
        ({"ndcg@10": "+0.01"}, "a change for the better"),
        ({"ndcg@10": "much"}, "expected a number, such as ndcg@10=-0.01"),
        ({"ndcg@10": float("nan")}, "expected a number"),
        ({"ndcg@10": -1.0}, "allows any value"),
        ({"num_q:on=all": 1}, "num_q:on=all: is neither better higher nor better lower"),
    ],
)
def test_wrong_margins(bundles: Path, allow: dict[str, float | str], message: str) -> None:
    with pytest.raises((InputError, MeasureError), match=message):
        assay.regression_gate(bundles / "near", bundles / "good", allow=allow)


def test_a_guard_is_never_skipped(bundles: Path) -> None:
    with pytest.raises(MeasureError, match="auroc cannot be guarded"):
        assay.regression_gate(bundles / "near", bundles / "good", allow={"ndcg@10": -0.1, "auroc": -0.1})


def test_bundles_that_differ_are_refused_with_their_differences(bundles: Path, call: Call) -> None:
    code, text = call("gate", bundles / "good", "--against", bundles / "ir")
    assert code == 2
    assert "good: is under assay/1, ir under ir/1 (rules: " in text
    code, text = call("gate", bundles / "good", "--against", bundles / "other_grades")
    assert code == 2
    assert (
        "good: has other gold than other_grades: judgements 60 added, 60 removed, the first 'p00' 'c'" in text
    )


def test_other_queries_are_refused(bundles: Path, tmp_path: Path, call: Call) -> None:
    whole = corpus()
    part = assay.Corpus.of(
        sentences=whole.sentences.frame.filter(pl.col("post_id") != "p07"),
        criteria=whole.criteria.frame,
        gold=whole.gold.frame.filter(pl.col("post_id") != "p07"),
    )
    kept = predictions(0.5).candidates.frame.filter(pl.col("post_id") != "p07")
    assay.evaluate(assay.Predictions.of(candidates=kept), part).save(tmp_path / "part")
    code, text = call("gate", tmp_path / "part", "--against", bundles / "good")
    assert code == 2
    assert "part: lacks 1 query that good has, the first 'p07' 'c'" in text
    assert "part: has other gold than good: judgements 1 removed, the first 'p07' 'c'" in text


def test_exit_codes_and_outputs(bundles: Path, tmp_path: Path, call: Call) -> None:
    summary, junit = tmp_path / "summary.md", tmp_path / "junit.xml"
    summary.write_text("before\n", encoding="utf-8")
    outputs = ("--summary", summary, "--junit", junit)
    code, text = call(
        "gate", bundles / "good", "--against", bundles / "bad", "--allow", "ndcg@10=-0.1", *outputs
    )
    assert code == 0
    assert "Verdict: better" in text
    code, text = call(
        "gate", bundles / "bad", "--against", bundles / "good", "--allow", "ndcg@10=-0.1", *outputs
    )
    assert code == 1
    assert "ndcg@10: worse; the loss is at least" in text
    suite = ET.fromstring(junit.read_text(encoding="utf-8"))
    assert suite.attrib["failures"] == "1"
    assert max(map(len, text.split("Paired")[0].splitlines())) <= 80
    written = summary.read_text(encoding="utf-8")
    assert written.startswith(
        "before\n### 🟢 assay gate: better\n"
    )  # appended, as other steps' summaries are
    assert "### 🔴 assay gate: worse" in written
    small = ("--allow", "ndcg@10=-0.001")
    near = ("gate", bundles / "near", "--against", bundles / "good")
    assert call(*near, *small)[0] == 1
    code, text = call(*near, *small, "--undecided", "pass", "--junit", junit)
    assert code == 0
    assert "add posts, allow more with --allow" in text
    assert ET.fromstring(junit.read_text(encoding="utf-8")).attrib["skipped"] == "1"
    assert (
        json.loads(call(*near, "--allow", "ndcg@10=-0.2,hit@3=-0.3", "--json")[1])["verdict"] == "not worse"
    )
    assert not (bundles / "near" / "gate.json").exists()


def test_a_summary_is_written_with_the_other_outputs_or_not_at_all(
    bundles: Path, tmp_path: Path, call: Call
) -> None:
    junit, summary = tmp_path / "junit.xml", tmp_path / "summary.md"
    given = ("gate", bundles / "bad", "--against", bundles / "good", "--allow", "ndcg@10=-0.1")
    for place in (tmp_path, Path("/dev/full"), tmp_path / "nowhere" / "summary.md"):
        code, text = call(*given, "--summary", place, "--junit", junit)
        assert (code, junit.exists()) == (2, False), text
    os.mkfifo(summary)  # without a reader, opening it would wait for ever
    code, text = call(*given, "--summary", summary, "--junit", junit)
    assert (code, junit.exists()) == (2, False)
    assert "it is a device or a pipe" in text


def test_names_of_bundles_are_text_in_a_summary(bundles: Path, tmp_path: Path, call: Call) -> None:
    """A carriage return ends a line of Markdown: what follows it was a heading."""
    hostile = tmp_path / "a\r# verdict: better\x1b[2J<img>|`x`"
    shutil.copytree(bundles / "good", hostile)
    summary = tmp_path / "summary.md"
    compared = (
        "gate",
        hostile,
        "--against",
        bundles / "good",
        "--allow",
        "ndcg@10=-0.1",
        "--summary",
        summary,
    )
    assert call(*compared)[0] == 0
    first = ("gate", hostile, "--against", tmp_path / "no\rne", "--no-baseline", "pass", "--summary", summary)
    assert call(*first)[0] == 0
    written = summary.read_bytes().decode()
    assert not set("\r\x1b") & set(written)
    assert "a⟨U\\+000D⟩\\# verdict: better⟨U\\+001B⟩\\[2J&lt;img&gt;\\|\\`x\\`" in written
    assert "no⟨U\\+000D⟩ne" in written


def test_a_missing_baseline_is_an_error_or_a_first_run(bundles: Path, tmp_path: Path, call: Call) -> None:
    given = ("gate", bundles / "good", "--against", tmp_path / "yesterday")
    code, text = call(*given)
    assert code == 2
    assert "folder not found" in text
    summary = tmp_path / "summary.md"
    code, text = call(*given, "--no-baseline", "pass", "--summary", summary, "--junit", tmp_path / "j.xml")
    assert code == 0
    assert "first run" in " ".join(text.split())  # lines break at words
    assert "no baseline" in summary.read_text(encoding="utf-8")
    assert ET.fromstring((tmp_path / "j.xml").read_text(encoding="utf-8")).attrib["skipped"] == "1"
    broken = tmp_path / "yesterday"
    broken.mkdir()
    (broken / "half.csv").write_text("a\n", encoding="utf-8")
    assert call(*given, "--no-baseline", "pass")[0] == 2  # something is there, and it is not a bundle


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--allow", "ndcg@10"), "expected NAME=CHANGE"),
        (("--allow", "ndcg@10=-0.1", "--allow", "ndcg@10=-0.2"), "one margin per measure"),
        (("--undecided", "maybe"), "expected pass or fail"),
        (("--alpha", "0.7"), "--alpha: is 0.7"),
        (("--corpus", "c"), "--corpus: has no effect with --against"),
    ],
)
def test_wrong_options(bundles: Path, call: Call, options: tuple[str, ...], message: str) -> None:
    code, text = call("gate", bundles / "good", "--against", bundles / "near", *options)
    assert code == 2
    assert message in text


def test_options_of_the_comparison_need_it(bundles: Path, call: Call) -> None:
    code, text = call("gate", bundles / "good", "--allow", "ndcg@10=-0.01")
    assert code == 2
    assert "--allow: has no effect without --against" in text


def test_outputs_do_not_replace_a_bundle(bundles: Path, call: Call) -> None:
    old = bundles / "good"
    code, _ = call("gate", bundles / "near", "--against", old, "--junit", old / "metrics_master.json")
    assert code == 2
    assay.load(old)


def plain(values: np.ndarray, resamples: int = 4000) -> OneSided:
    """The mean of values with one unit each, from formulas."""
    n = len(values)
    rng = np.random.default_rng(0)
    drawn = values[rng.integers(0, n, (resamples, n))].mean(axis=1)
    return OneSided.of(float(values.mean()), (values - values.mean()) / np.sqrt(n * (n - 1)), drawn, n, 1.0)


def test_bounds_and_p_values_say_the_same() -> None:
    rng = np.random.default_rng(3)
    for skew in (1, -1):
        made = plain(skew * rng.exponential(0.1, 25))
        for alpha in (0.01, 0.05, 0.2):
            low = made.lower_bound(alpha)
            assert made.p_above(low - 1e-9) <= alpha < made.p_above(low + 1e-9)
            high = -made.flipped().lower_bound(alpha)
            assert made.flipped().p_above(-high - 1e-9) <= alpha < made.flipped().p_above(-high + 1e-9)
            assert low < made.estimate < high


def test_symmetric_values_have_the_bound_of_t_at_most() -> None:
    values = np.array([-0.3, -0.2, -0.1, 0.1, 0.2, 0.3] * 5)
    made = plain(values)
    usual = values.mean() - values.std(ddof=1) / np.sqrt(30) * stats.t.ppf(0.95, 29)
    assert made.df == 29.0
    assert made.lower_bound(0.05) == pytest.approx(usual, abs=2e-3)
    assert made.lower_bound(0.05) <= usual + 1e-12


def test_few_posts_with_all_the_change_are_few_posts() -> None:
    values = np.zeros(1000)
    values[:2] = -0.5
    made = plain(values)
    assert made.df < 6
    poisson = -0.5 * stats.chi2.ppf(0.95, 2 * 3) / 2 / 1000  # exact bound of 2 changes in 1,000 posts
    assert made.lower_bound(0.05) == pytest.approx(poisson, rel=0.15)


def test_no_change_has_the_exact_bound() -> None:
    made = plain(np.zeros(30))
    exact = stats.beta.ppf(0.95, 1, 30)  # Clopper–Pearson: no change in 30 posts
    assert made.lower_bound(0.05) == pytest.approx(-exact)
    assert made.p_above(-exact) == pytest.approx(0.05)
    assert made.p_above(0.0) == 1.0
    alone = OneSided.of(0.5, np.zeros(2), np.full(10, 0.5), 1.0, 1.0)
    assert alone.lower_bound(0.05) == -np.inf
    assert alone.p_above(0.0) == 1.0


def test_bias_that_favours_the_claim_is_given_up() -> None:
    rng = np.random.default_rng(0)
    drawn = rng.normal(0.13, 0.02, 10_000)
    over, under = resampling_bias(0.1, drawn)
    assert over == pytest.approx(0.03 * (1 + np.sqrt(2)), rel=0.05)
    assert under == 0.0
    assert resampling_bias(0.1, rng.normal(0.1, 0.02, 10_000)) == (0.0, 0.0)


def test_quantiles_of_t() -> None:
    for df in (1.0, 2.7, 29.0, 1e4):
        for share in (0.6, 0.95, 0.9999):
            assert t_quantile(share, df) == pytest.approx(stats.t.ppf(share, df), rel=1e-9)
        for t in (-3.0, 0.0, 2.5):
            assert upper_p(t, df) == pytest.approx(stats.t.sf(t, df), rel=1e-9)


def test_several_measures() -> None:
    """Holm adjusts claims of better and worse; not worse needs no adjustment."""
    rng = np.random.default_rng(1)
    shift = np.linspace(-1, 1, 40)
    clear, faint = (plain(mean + 0.1 * rng.permutation(shift)) for mean in (-0.1, -0.02))
    alone = judge([Guarded(faint, 0.0)], 0.05)[0]
    together = judge([Guarded(each, 0.0) for each in (faint, plain(shift * 0.1), plain(shift * 0.1))], 0.05)
    assert alone.p_worse < 0.05 < together[0].p_worse
    assert (alone.verdict, together[0].verdict) == ("worse", "undecided")
    assert "Holm" in together[0].reason
    assert judge([Guarded(clear, 0.2)], 0.05)[0].verdict == "not worse"
    assert overall(["better", "not worse"]) == "better"
    assert overall(["better", "undecided"]) == "undecided"
    assert overall(["undecided", "worse"]) == "worse"
    assert overall(["not worse"]) == "not worse"
