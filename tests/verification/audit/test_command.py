"""`assay audit` as a user calls it, and its page in the documentation."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from assay.verification import publication_gate
from assay.verification.audit.audit_report import CHANCE, RARE, AuditSettings
from assay.verification.audit.check_list import CHECKS
from assay.verification.audit.checks import (
    candidate_lists,
    decision_errors,
    label_copies,
    row_order,
    separability,
    shared_sentences,
    threshold_nearness,
    tune_sample,
)
from assay.verification.audit.system.gold_lookups import DROP
from assay.verification.audit.text.near_posts import PERMUTATIONS, SHINGLE, SHORTEST
from assay.verification.audit.text.near_sentences import ALIKE
from tests.cli.conftest import Ran, call  # noqa: F401 # a fixture
from tests.verification.audit.leaks import planted
from tests.verification.audit.synthetic import clean_bundle, clean_world, queries_of
from tests.verification.audit.test_planted import PLANTS, SEED

PAGE = Path(__file__).parents[3] / "docs" / "audit.md"
Call = Callable[..., Ran]


def test_a_clean_corpus(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setenv("COLUMNS", "200")
    corpus, predictions = clean_world(SEED).write(tmp_path)
    ran = call("audit", corpus).ok()
    assert "no leak found" in ran.out
    ran = call("audit", corpus, "--predictions", predictions).ok()
    assert "no leak found" in ran.out
    for check in CHECKS:
        assert f"{check.code}  {check.title}" in ran.out


def test_a_leak_is_exit_code_1(call: Call, tmp_path: Path) -> None:  # noqa: F811
    world = clean_world(SEED)
    PLANTS["nearly_the_same_post_in_two_folds"][1](world)
    corpus, predictions = world.write(tmp_path)
    ran = call("audit", corpus, "--predictions", predictions)
    assert (ran.code, ran.err) == (1, "")
    assert "1 leak found" in ran.out
    assert re.search(r"L004: p\d+ ~ p\d+ \(0\.\d\d\)", ran.out)
    assert call("audit", corpus, "--threshold", "0.99").code == 0


def test_a_flag_is_exit_code_0(call: Call, tmp_path: Path) -> None:  # noqa: F811
    corpus, predictions = planted("copy inside one fold", 0).write(tmp_path)
    ran = call("audit", corpus, "--predictions", predictions).ok()
    assert "no leak found, 1 flagged; " in ran.out
    assert re.search(r"L020: post\d+ ~ post\d+ \(\d+%\)", ran.out)
    made = json.loads(call("audit", corpus, "--predictions", predictions, "--json").ok().out)
    assert (made["leaks"], made["flags"]) == ([], ["L020"])


def test_the_gate_names_what_is_flagged(monkeypatch: pytest.MonkeyPatch) -> None:
    report = planted("copy inside one fold", 0).audit()
    monkeypatch.setattr(publication_gate, "audit", lambda _: report)
    (check,) = publication_gate._leakage(None, Path())  # type: ignore[arg-type] # it looks at no result
    assert check.verdict == "pass"
    assert check.reason.endswith("flagged: L020 copies inside one fold")


def test_what_is_flagged_leaves_a_point_open(call: Call, tmp_path: Path) -> None:  # noqa: F811
    corpus, predictions = planted("TUNE made of labels", 1).write(tmp_path)
    made = json.loads(call("audit", corpus, "--predictions", predictions, "--json").ok().out)
    assert made["flags"] == ["L023"]
    points = {each["number"]: each for each in made["checklist"]}
    assert points[2]["answer"] == "cannot be seen here"
    assert points[2]["looked_at"].startswith("L023 flagged: TUNE is too easy")


def test_json(call: Call, tmp_path: Path) -> None:  # noqa: F811
    world = clean_world(SEED)
    PLANTS["prob_is_the_label"][1](world)
    corpus, predictions = world.write(tmp_path)
    ran = call("audit", corpus, "--predictions", predictions, "--json")
    assert ran.code == 1
    made = json.loads(ran.out)
    assert made["leaks"] == ["L010"]
    assert [each["code"] for each in made["findings"]] == [each.code for each in CHECKS]
    assert [each["number"] for each in made["checklist"]] == [1, 2, 3, 4, 5, 6]
    again = call("audit", corpus, "--predictions", predictions, "--json")
    assert again.out == ran.out


def test_a_bundle(call: Call, tmp_path: Path) -> None:  # noqa: F811
    bundle = clean_bundle(SEED, tmp_path)
    assert "bundle bundle: no leak found" in call("audit", bundle).ok().out


@pytest.mark.parametrize("name", PLANTS)
def test_no_text_of_a_post_is_printed(name: str, call: Call, tmp_path: Path) -> None:  # noqa: F811
    world = clean_world(SEED)
    PLANTS[name][1](world)
    secret = pl.col("text") + pl.lit(" xqzsecret")
    world.corpus["sentences"] = world.corpus["sentences"].with_columns(secret.alias("text"))
    corpus, predictions = world.write(tmp_path)
    for more in ([], ["--json"]):
        ran = call("audit", corpus, "--predictions", predictions, *more)
        assert "xqzsecret" not in ran.out + ran.err


def test_bad_input(call: Call, tmp_path: Path) -> None:  # noqa: F811
    world = clean_world(SEED)
    corpus, predictions = world.write(tmp_path)
    bundle = clean_bundle(SEED, tmp_path)
    call("audit").refused(("no path was given",))
    call("audit", tmp_path / "nothing").refused(("folder not found",))
    call("audit", corpus, "--predictions", tmp_path / "nothing").refused(("folder not found",))
    call("audit", corpus, "--threshold", "1.5").refused(("--threshold", "is 1.5"))
    call("audit", corpus, "--threshold", "0").refused(("--threshold", "is 0"))
    call("audit", corpus, "--threshold", "nan").refused(("--threshold", "is nan"))
    call("audit", bundle, "--predictions", predictions).refused(("is a bundle",))
    rows = queries_of(world.corpus).select("post_id", "criterion_id")
    pl.concat([rows, rows.head(1)]).write_csv(corpus / "queries.csv")
    call("audit", corpus).refused(("queries.csv", "is already listed"))


def test_checks_are_listed(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setenv("COLUMNS", "400")
    ran = call("audit", "--checks").ok()
    for check in CHECKS:
        assert check.rule.replace("`", "") in ran.out
    listed = json.loads(call("audit", "--checks", "--json").ok().out)
    assert [each["code"] for each in listed] == [check.code for check in CHECKS]


def test_codes_are_unique_and_in_order() -> None:
    codes = [check.code for check in CHECKS]
    assert codes == sorted(set(codes))
    assert all(check.look.__doc__ for check in CHECKS if check.look is not None)


def test_the_page_has_every_check() -> None:
    rows = re.findall(r"^\| (L\d+) \| (.*?) \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.M)
    assert rows == [(check.code, check.title, check.rule) for check in CHECKS]


def test_rules_state_the_numbers_of_the_code() -> None:
    rules = {check.code: check.rule for check in CHECKS}
    assert f"{SHORTEST} or more" in rules["L003"]
    assert f"{SHINGLE}-word" in rules["L004"]
    assert f"≥ {AuditSettings().threshold:g}" in rules["L004"]
    assert f"a system with {1 - label_copies.QUERIES:.0%} errors" in rules["L010"]
    assert f"an AUROC of {label_copies.AUROC:g}" in rules["L010"]
    assert f"a system with {1 - label_copies.LISTS:.0%} wrong lists" in rules["L011"]
    assert f"separates {candidate_lists.TELLING:.0%}" in rules["L012"]
    assert f"{candidate_lists.POSITIVES} queries" in rules["L012"]
    assert f"keeps {candidate_lists.KEPT:.0%}" in rules["L014"]
    assert f"{row_order.GROUPS} tie groups" in rules["L015"]
    assert (
        f"at least {shared_sentences.COPIED_WORDS}, in {shared_sentences.COPIED_SENTENCES} sent"
        in rules["L019"]
    )
    assert (
        f"at least {shared_sentences.REUSED_WORDS} words, in {shared_sentences.REUSED_SENTENCES} sent"
        in rules["L019"]
    )
    assert f"{shared_sentences.SAME_SENTENCE:.0%}" in rules["L019"]
    assert f"{ALIKE:.0%}" in rules["L019"]
    assert f"sum to {separability.HONEST:.0%}" in rules["L021"]
    assert f"makes {separability.CONTRAST:g} times as many" in rules["L021"]
    assert f"{separability.MOSTLY_RIGHT:.0%}" in rules["L022"]
    assert f"an AUROC of {label_copies.RANKER:g}" in rules["L022"]
    assert f"an AUROC of {label_copies.RANKER:g}" in rules["L011"]
    assert f"a factor of at least {1 / tune_sample.UNLIKE:g}" in rules["L023"]
    assert f"an AUROC of at least {0.5 + tune_sample.SHIFTED:g}" in rules["L023"]
    assert f"an order with {row_order.HONEST_ORDER:.0%} errors" in rules["L024"]
    assert f"on {row_order.MORE:.0%} more" in rules["L024"]
    assert f"an order with {row_order.HONEST_ORDER:.0%} errors" in rules["L025"]
    assert f"≤ {threshold_nearness.BESIDE:.4f} over" in rules["L026"]
    assert (0.25, re.findall("a quarter", rules["L027"])[0]) == (separability.EASY, "a quarter")
    assert f"by at least {DROP:g}" in rules["L104"]
    assert f"sum to {separability.HONEST:.0%} have" in rules["L028"]
    assert f"than {separability.CONTRAST:g} times as often" in rules["L028"]
    assert f"for {decision_errors.COUNTED:.0%} errors" in rules["L028"]
    assert f"(for {decision_errors.LUCKY:.0%})" in rules["L028"]
    for code in ("L023", "L024", "L027"):
        assert f"≤ {RARE:g}" in rules[code]
    for code in ("L010", "L011", "L012", "L013", "L014", "L015", "L017", "L021", "L022", "L028", "L104"):
        assert f"≤ {CHANCE:g}" in rules[code]
    assert f"{PERMUTATIONS} permutations" in PAGE.read_text(encoding="utf-8")
