"""The grammar of definition ids: what is read, and what is refused with which words."""

from fractions import Fraction

import pytest

from assay_oracle import parse
from assay_oracle.evaluation import POOLED
from assay_oracle.formulas import FORMULAS
from assay_oracle.grammar import FORMS


def test_every_form_of_the_grammar_has_exactly_one_implementation() -> None:
    assert not FORMULAS.keys() & POOLED.keys()
    assert FORMULAS.keys() | POOLED.keys() == FORMS.keys()


def test_every_form_ends_with_its_population() -> None:
    assert all(list(form.parameters)[-1] == "on" for form in FORMS.values())


def test_parts_of_a_definition() -> None:
    read = parse("map@10:denominator=min_r_k,cut=k_eff,rel=2,on=evidence")
    assert (read.name, read.k, read.rel) == ("map", 10, 2)
    assert read.choice("denominator") == "min_r_k"
    assert parse("mrr:rel=1,on=all").k is None
    assert parse("mrr@all:rel=1,on=all").k is None
    assert parse("iprec@0.30:need=ceil,rel=1,on=all").recall_level == Fraction(3, 10)
    assert parse("f@5:beta=0.5,rel=1,on=all").number("beta") == Fraction(1, 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mapp@10:rel=1,on=all", "no measure is named 'mapp'"),
        ("hit:rel=1,on=all", "the cut is missing; expected @ and a positive integer or all"),
        ("hit@0:rel=1,on=all", "the cut is '0'; expected a positive integer or all"),
        ("hit@:rel=1,on=all", "the cut is ''"),
        ("rprec@5:rel=1,on=all", "the cut is '5'; this measure takes none"),
        ("iprec@1.5:need=ceil,rel=1,on=all", "expected a decimal from 0 to 1"),
        ("hit@5", r"expected \['rel', 'on'\] in this order"),
        ("hit@5:on=all,rel=1", r"expected \['rel', 'on'\] in this order"),
        ("hit@5:rel=1,on=all,k=5", r"expected \['rel', 'on'\] in this order"),
        ("hit@5:rel=0,on=all", "rel is '0'; expected a positive integer"),
        ("hit@5:rel=1,on=some", "on is 'some'; expected evidence or all or predicted"),
        ("recall@5:gold=k,rel=1,on=all", "gold is 'k'; expected all or retrieved"),
        ("f@5:beta=0.0,rel=1,on=all", "beta is '0.0'; expected a positive decimal"),
        ("rbp:p=1,rel=1,on=all", "p is '1'; expected a decimal between 0 and 1"),
        ("rbp:p=0.0,rel=1,on=all", "p is '0.0'; expected a decimal between 0 and 1"),
        ("gm_map:floor=1e-5,rel=1,on=all", "floor is '1e-5'; expected a positive decimal"),
    ],
)
def test_a_wrong_definition_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse(text)
