"""Who a contract is: reserved ids, a hash of all that it says, objects that cannot be edited."""

from __future__ import annotations

import copy
import hashlib
import pickle
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import assay
from assay.contracts.contract_id import with_options
from assay.contracts.contract_parts import Correction
from assay.contracts.contract_text import contract_of_text, faithful_text
from assay.contracts.contract_toml import SHIPPED, contract, parse, read_text, shipped_text
from assay.data.alignment.align import RankingRules
from assay.metrics.core.names.parameter import Frozen

MEASURES = '[measures]\nauroc = "auroc:on=all"\n'


@pytest.mark.parametrize(
    "name",
    [
        *SHIPPED,
        "assay/1+k=3",
        "trec_eval/10+anything",
        "Assay/1",
        "assay/1\u200b",
        "assay / 1",
        "ａssay/1",  # a full-width letter that reads the same
        "\u0430ssay/1",  # a Cyrillic letter that looks the same
        "\u0430\u0455\u0455\u0430\u0443/1",  # nothing but such letters
    ],
)
def test_the_ids_of_shipped_contracts_are_reserved(name: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f'id = "{name}"\n{MEASURES}')
    with pytest.raises(assay.ContractError, match=r"mine\.toml: id is .*(choose another id|expect)"):
        assay.contract(path)


@pytest.mark.parametrize("name", ["", " ", " mine", "mi\\nne", "mine\\u0007"])
def test_an_id_can_be_read(name: str) -> None:
    with pytest.raises(assay.ContractError, match=r"id is .* expected a name"):
        parse(f'id = "{name}"\n{MEASURES}', "mine.toml")


@pytest.mark.parametrize("name", ["mine/1", "assay/10", "assay/1-strict", "my-assay/1+k=3"])
def test_other_ids_are_free(name: str) -> None:
    assert parse(f'id = "{name}"\n{MEASURES}', "mine.toml").id == name


OTHER: dict[str, Any] = {
    "id": "other/1",
    "title": "another title",
    "ranking": RankingRules(ties="docno_desc"),
    "aggregate": "pooled",
    "k": (7,),
    "k_primary": (7,),
    "k_optional": (7,),
    "k_ceiling": False,
    "measures": {"auroc": "auroc:on=all"},
    "expected": {"queries": 3},
    "targets": {"auroc": ">= 0.10"},
    "deployment": "f1",
    "confidence": 0.5,
    "absent": {"accuracy": "because"},
    "corrections": (),
}


def test_the_hash_covers_every_field() -> None:
    """So no changed contract carries the hash of the shipped one."""
    made = contract("assay/1")
    said = {each.name for each in fields(made)} - {"source", "text"}
    assert said == set(OTHER)
    hashes = {replace(made, **{name: value}).hash for name, value in OTHER.items()}
    assert len(hashes | {made.hash}) == len(OTHER) + 1
    for rules in (
        RankingRules(depth=5),
        RankingRules(unjudged_queries="zero"),
        RankingRules(exclude_criteria=("a",)),
    ):
        assert replace(made, ranking=rules).hash != made.hash
    assert replace(made, text="", source="elsewhere").hash == made.hash


def test_the_layout_of_a_file_does_not_change_its_hash() -> None:
    text = 'id = "mine"\n[measures]\na = "auroc:on=all"\nb = "auprc:on=all"\n'
    other = 'id = "mine" # a comment\n[measures]\nb = "auprc:on=all"\n\na = "auroc:on=all"\n'
    assert parse(text, "x.toml").hash == parse(other, "x.toml").hash


@pytest.mark.parametrize(
    "edit",
    [
        lambda made: made.targets.__setitem__("auroc", ">= 0.10"),
        lambda made: made.measures.update(auroc="brier:on=all"),
        lambda made: made.names.__setitem__("auroc", "brier:on=all"),
        lambda made: made.metrics.clear(),
        lambda made: made.metrics["auroc"].params.__setitem__("on", "evidence"),
        lambda made: made.metrics["auroc"].fails.clear(),
        lambda made: setattr(made, "targets", {}),
        lambda made: setattr(made.targets, "_entries", {}),
        lambda made: made.targets._entries.__setitem__("auroc", ">= 0.10"),
    ],
)
def test_a_contract_cannot_be_edited(edit: Callable[[assay.Contract], object]) -> None:
    before = contract("assay/1").hash
    with pytest.raises((AttributeError, TypeError)):
        edit(contract("assay/1"))
    assert contract("assay/1").hash == before
    assert contract("assay/1").targets["auroc"] == ">= 0.85"
    assert contract("assay/1").metrics["auroc"].id == "auroc:on=all"


def test_frozen_mappings_pickle_and_copy() -> None:
    made = Frozen({"a": 1, "b": 2})
    assert pickle.loads(pickle.dumps(made)) == made == {"b": 2, "a": 1}
    assert copy.deepcopy(made) == made
    assert hash(made) == hash(Frozen({"b": 2, "a": 1}))
    assert repr(made) == "{'a': 1, 'b': 2}"
    assert "a" in made
    assert "c" not in made


def test_an_object_in_disguise_is_refused_where_it_is_used() -> None:
    lowered = replace(contract("assay/1"), targets={"auroc": ">= 0.10"})
    assert lowered.hash != contract("assay/1").hash
    table = assay.read_decisions(pl.DataFrame({"label": [0, 1], "prob": [0.2, 0.9]}))
    for use in (assay.evaluate, assay.curves):
        with pytest.raises(assay.ContractError, match="give it another id"):
            use(table, contract=lowered)
    with pytest.raises(assay.ContractError, match="give it another id"):
        assay.compare(table, table, contract=lowered)
    mine = replace(lowered, id="mine/1")
    assert assay.evaluate(table, contract=mine).contract is mine


def test_the_text_of_a_bundle_says_what_the_object_says() -> None:
    made = contract("assay/1")
    assert faithful_text(made) == made.text
    changed = made.changed(level=2, depth=7, k=(3, 5))
    assert faithful_text(changed) == changed.text
    entry = Correction("2026-11-18", "t", 'a "quoted" what', "why", ("auroc",), "0" * 64)
    mine = replace(
        made,
        id="mine/1",
        targets={"auroc": ">= 0.10"},
        ranking=RankingRules(depth=5, exclude_criteria=("A.10",)),
        expected={"queries": 9},
        corrections=(entry,),
        deployment=None,
    )
    text = faithful_text(mine)
    assert text != mine.text
    assert contract_of_text(text, "mine/1") == mine.content()
    assert parse(text, "mine.toml").hash == mine.hash


def test_options_in_an_id_give_the_same_contract_again() -> None:
    base = contract("trec_eval/10")
    made = base.changed(level=2, depth=100, complete=True, k=(3, 5))
    again = with_options(base, made.id)
    assert again is not None
    assert again.content() == made.content()
    for name in ("trec_eval/10+level=x", "trec_eval/10+", "trec_eval/10+k=", "other/1+k=3"):
        assert with_options(base, name) is None
    assert contract("trec_eval/10+k=3/5").cuts == ("3", "5")


@pytest.mark.parametrize("name", ["assay/1", "evidence/1.0.0", "trec_eval/10"])
def test_corrections_know_the_text_before(name: str) -> None:
    """The files are the shipped ones as they stood before each correction, the oldest first."""
    paths = sorted((Path(__file__).parent / "before").glob(f"{name.replace('/', '-')}*.toml"), key=_stem)
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]
    assert list(dict.fromkeys(each.before for each in contract(name).corrections)) == hashes
    for path in paths:
        old = read_text(path.read_text(), name)
        assert old.hash != contract(name).hash
        assert shipped_text(name) != path.read_text()


def _stem(path: Path) -> str:
    return path.stem


def test_a_correction_that_adds_names_keeps_the_others() -> None:
    path = Path(__file__).parent / "before" / "trec_eval-10-all_trec.toml"
    old, now = read_text(path.read_text(), "trec_eval/10").names, contract("trec_eval/10").names
    assert old.items() <= now.items()
    assert {name.partition("_mult")[0] for name in now.keys() - old.keys()} == {
        "infAP", "set_map", "gm_bpref", "G", "binG", "Rndcg", "ndcg_rel", "Rprec", "set_relative_P", "utility",
    }  # fmt: skip
