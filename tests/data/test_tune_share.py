"""`tune_share`: one table, thresholds chosen on a part of its groups, the others scored; targets."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.bundle.conftest import call_cli, tables
from tests.bundle.test_verify import hashed_anew

import assay
from assay.data.tune_share import with_tune_share
from assay.verification.publication_gate import publication_gate

__all__ = ["call_cli"]
Call = Callable[..., tuple[int, str]]


def table(groups: int = 60, positive_groups: int = 20, folds: int = 0) -> pl.DataFrame:
    """Four rows per group; in a positive group half of them are positive."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(groups), 4)
    label = ((group < positive_groups) & (np.tile(np.arange(4), groups) < 2)).astype(int)
    columns: dict[str, object] = {
        "patient": [f"P{code:03}" for code in group],
        "label": label,
        "prob": np.clip(0.2 + 0.5 * label + rng.normal(0, 0.15, len(group)), 0, 1),
    }
    if folds:
        columns["fold"] = group % folds
    return pl.DataFrame(columns)


def parts(frame: pl.DataFrame, share: float, **columns: str) -> dict[str, pl.DataFrame]:
    made = with_tune_share(assay.read_decisions(frame, group="patient", **columns), share).table.frame
    return {role: made.filter(pl.col("role") == role) for role in ("TUNE", "EVAL")}


@pytest.mark.parametrize("share", [0.1, 0.5, 0.75])
def test_groups_are_split_by_share_and_kept_whole(share: float) -> None:
    found = parts(table(), share)
    tune, scored = (set(found[role]["patient"]) for role in ("TUNE", "EVAL"))
    assert not tune & scored
    assert len(tune) == round(20 * share) + round(40 * share)
    positives = {
        role: each.filter(pl.col("label") == 1)["patient"].n_unique() for role, each in found.items()
    }
    assert positives == {"TUNE": round(20 * share), "EVAL": 20 - round(20 * share)}


def test_two_positive_groups_are_one_in_each_part() -> None:
    for share in (0.05, 0.5, 0.95):
        found = parts(table(positive_groups=2), share)
        assert all(each["label"].sum() == 2 for each in found.values())


def test_every_fold_has_both_parts() -> None:
    found = parts(table(folds=5), 0.5, fold="fold")
    for each in found.values():
        positives = each.group_by("fold").agg(pl.col("label").sum())
        assert positives.height == 5
        assert positives["label"].min() > 0  # type: ignore[operator]


def test_the_split_does_not_depend_on_the_order_of_rows() -> None:
    frame = table()
    mixed = frame.sample(fraction=1, shuffle=True, seed=3)
    assert set(parts(frame, 0.5)["TUNE"]["patient"]) == set(parts(mixed, 0.5)["TUNE"]["patient"])


def test_values_are_those_of_the_same_table_with_roles(tmp_path: Path) -> None:
    frame = table()
    split = assay.evaluate(assay.read_decisions(frame, group="patient"), tune_share=0.5)
    roles = with_tune_share(assay.read_decisions(frame, group="patient"), 0.5).table.frame
    given = assay.evaluate(assay.read_decisions(roles, group="patient"))
    assert [value.value for value in split.measures] == [value.value for value in given.measures]
    assert [each.value for each in split.thresholds] == [each.value for each in given.thresholds]
    assert split.thresholds
    made = split.tune_split
    assert made is not None
    assert (made.tune_rows, made.tune_groups, made.eval_rows, made.eval_groups) == (120, 30, 120, 30)
    assert given.tune_split is None
    arrays = {"labels": frame["label"], "probs": frame["prob"], "groups": frame["patient"]}
    again = assay.evaluate(**arrays, tune_share=0.5)  # type: ignore[arg-type]
    assert [value.value for value in again.measures] == [value.value for value in split.measures]


def test_one_command_and_a_bundle_that_verifies(tmp_path: Path, call_cli: Call) -> None:
    table().write_csv(tmp_path / "t.csv")
    given = ("--decisions", str(tmp_path / "t.csv"), "--group", "patient")
    folder = tmp_path / "bundle"
    code, text = call_cli("evaluate", *given, "--tune-share", "0.5", "-o", str(folder), "--no-report")
    assert code == 0
    assert (
        "thresholds were chosen on 120 rows of 30 groups; 120 rows of 30 other groups were scored"
        in " ".join(text.split())
    )
    assert json.loads((folder / "metrics_master.json").read_text())["tune_split"]["share"] == 0.5
    assert assay.load(folder).tune_split is not None
    assert call_cli("verify", str(folder))[0] == 0
    assert call_cli("verify", str(folder), *given, "--tune-share", "0.5")[0] == 0
    code, text = call_cli("verify", str(folder), *given, "--tune-share", "0.25")
    assert code == 1
    assert "expected/tune_share" in text
    master = folder / "metrics_master.json"
    master.write_text(master.read_text().replace('"tune_groups": 30', '"tune_groups": 31'))
    hashed_anew(folder)
    code, text = call_cli("verify", str(folder))
    assert code == 1
    assert "tune_groups" in text


@pytest.mark.parametrize(
    ("frame", "share", "message"),
    [
        (table(), 0.0, "between 0 and 1"),
        (table(), 1.0, "between 0 and 1"),
        (table(), "half", "between 0 and 1"),
        (table().with_columns(role=pl.lit("EVAL")), 0.5, "has a column role"),
        (table(groups=1), 0.5, "cannot be split"),
    ],
)
def test_what_cannot_be_split(frame: pl.DataFrame, share: float, message: str) -> None:
    with pytest.raises(assay.InputError, match=message):
        assay.evaluate(assay.read_decisions(frame, group="patient"), tune_share=share)


def test_a_second_tune_part_and_other_inputs_are_refused() -> None:
    with pytest.raises(assay.InputError, match="has no effect with `tune`"):
        assay.evaluate(assay.read_decisions(table()), tune=table(), tune_share=0.5)
    with pytest.raises(assay.InputError, match="without a plain table"):
        assay.evaluate({"q": {"d": 1.0}}, qrels={"q": {"d": 1}}, tune_share=0.5)


def test_targets_are_judged_where_they_were_asked_for(tmp_path: Path, call_cli: Call) -> None:
    """A foreign table is not told that it missed a target that nobody set for it."""
    frame = table()
    plain = assay.evaluate(assay.read_decisions(frame), measures=["auroc"])
    asked = assay.evaluate(assay.read_decisions(frame), measures=["auroc"], contract="assay/1")
    assert plain["auroc"].target is None
    assert asked["auroc"].target is not None
    assert plain["auroc"].value == asked["auroc"].value
    corpus, answered = tables(1)
    assert assay.evaluate(answered, corpus)["auroc"].target is not None
    frame.write_csv(tmp_path / "t.csv")
    given = ("evaluate", "--decisions", str(tmp_path / "t.csv"), "-m", "auroc")
    assert "target" not in call_cli(*given)[1]
    assert ">= 0.85 met" in call_cli(*given, "--contract", "assay/1")[1]
    for name, result in (("plain", plain), ("asked", asked)):
        folder = result.save(tmp_path / name)
        assert call_cli("verify", str(folder))[0] == 0
        found = {check.name: check.verdict for check in publication_gate(folder).checks}
        assert found.get("target: auroc") == (None if name == "plain" else "pass")
        assert found.get("targets") == ("not applicable" if name == "plain" else None)


def test_a_corpus_cannot_be_relieved_of_its_targets(tmp_path: Path, call_cli: Call) -> None:
    corpus, answered = tables(1)
    folder = assay.evaluate(answered, corpus, measures=["auroc"]).save(tmp_path / "bundle")
    forged = Path(shutil.copytree(folder, tmp_path / "forged"))
    document = json.loads((forged / "metrics_master.json").read_text())
    document["measures"][0]["target"] = None
    (forged / "metrics_master.json").write_text(json.dumps(document))
    hashed_anew(forged)
    assert call_cli("verify", str(folder))[0] == 0
    assert call_cli("verify", str(forged))[0] == 1
