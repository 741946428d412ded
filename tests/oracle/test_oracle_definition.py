"""The grammar of definition ids: what is read, and what is refused with which words."""

from fractions import Fraction

import pytest

from assay_oracle import parse
from assay_oracle.core.measure import measures


def test_every_measure_is_a_mean_or_a_reduction_and_both_only_by_its_average() -> None:
    for name, measure in measures().items():
        assert measure.formula or measure.reduction, name
        both = measure.formula is not None and measure.reduction is not None
        assert both == ("average" in measure.parameters), name


def test_the_population_is_the_last_parameter() -> None:
    assert all(list(measure.parameters)[-1] == "on" for measure in measures().values())


def test_parts_of_a_definition() -> None:
    read = parse("map@10:denominator=min_r_k,cut=k_eff,rel=2,on=evidence")
    assert (read.name, read.k, read.rel) == ("map", 10, 2)
    assert read.choice("denominator") == "min_r_k"
    assert parse("mrr:rel=1,on=all").k is None
    assert parse("mrr@all:rel=1,on=all").k is None
    assert parse("iprec@0.30:need=ceil,rel=1,on=all").level == Fraction(3, 10)
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
        ("hit@5:rel=1,on=some", "on is 'some'; expected evidence or no_evidence or all or predicted"),
        ("recall@5:gold=k,rel=1,on=all", "gold is 'k'; expected all or retrieved"),
        ("f@5:beta=0.0,rel=1,on=all", "beta is '0.0'; expected a positive decimal"),
        ("rbp:p=1,rel=1,on=all", "p is '1'; expected a decimal between 0 and 1"),
        ("rbp:p=0.0,rel=1,on=all", "p is '0.0'; expected a decimal between 0 and 1"),
        ("hit@5:rel=1,on=some", "expected evidence or no_evidence or all or predicted or returned"),
        ("tp:at=1.5,on=all", "at is '1.5'; expected a decimal from 0 to 1 or tune or not_neg"),
        ("tp:at=neg,on=all", "at is 'neg'; expected"),
        ("tp:at=tune_fpr,on=all", "at is 'tune_fpr'; expected a decimal .* or tune_RULE, RULE f1 or"),
        ("tp:at=tune_,on=all", "at is 'tune_'; expected"),
        ("tp:at=tune_tune,on=all", "at is 'tune_tune'; expected"),
        ("tp:at=tune_fpr_0.00,on=all", "at is 'tune_fpr_0.00'; expected"),
        ("tp:at=tune_fpr_1.0,on=all", "at is 'tune_fpr_1.0'; expected"),
        ("tp:at=tune_fpr_1e-2,on=all", "at is 'tune_fpr_1e-2'; expected"),
        ("tp:at=tune_f1_0.5,on=all", "at is 'tune_f1_0.5'; expected"),
        ("tp:at=tune_recall_0.5,on=all", "at is 'tune_recall_0.5'; expected"),
        ("tp:at=fpr_0.5,on=all", "at is 'fpr_0.5'; expected"),
        ("aurc:at=tune_f1,on=all", "at is 'tune_f1'; expected a decimal between 0 and 1"),
        ("nauc:of=ndcg,by=max,on=all", "the cut is missing; expected @ and a positive integer"),
        ("nauc@10:on=all", r"expected \['of', 'by', 'on'\] in this order"),
        ("nauc@10:of=rprec,by=max,on=all", "of is 'rprec'; expected ndcg or map or recall"),
        ("nauc@10:of=ndcg,by=mean,on=all", "by is 'mean'; expected max or std or diff1 or prob"),
        ("aurc:at=tune,on=all", "at is 'tune'; expected a decimal between 0 and 1"),
        ("utility:abstain=1,found=1,missed=0,alarm=0,at=0.5,on=all", "at is '0.5'; expected ret"),
        ("utility:abstain=1,found=1,missed=-1,alarm=0,at=returned,on=all", "missed is '-1'"),
        ("tpr_at_fpr:threshold=same,on=all", "the cut is missing; expected @ and a decimal"),
        ("tpr_at_fpr@0:threshold=same,on=all", "the cut is '0'; expected a decimal between"),
        ("fpr_reached@1.0:threshold=tune,on=all", "the cut is '1.0'; expected a decimal between"),
        ("net_benefit@1:on=all", "the cut is '1'; expected a decimal between 0 and 1"),
        ("ece:bins=0,on=all", "bins is '0'; expected a positive integer"),
        ("expected_cost:fp=1,fn=x,at=0.5,on=all", "fn is 'x'; expected a non-negative decimal"),
        ("calibration_slope:clip=0.5,on=all", "clip is '0.5'; expected a decimal between 0 and 0.5"),
        ("calibration_slope:clip=0.0,on=all", "clip is '0.0'; expected a decimal between 0 and 0.5"),
        ("macro_f1:over=posts,empty=2,at=0.5,on=all", "empty is '2'; expected 0 or 1"),
        ("rate:state=NEG,on=all", "state is 'NEG'; expected neg or uncertain or pos"),
        ("evidence_precision:average=retrieved,rel=1,on=all", "expected macro or micro"),
        ("gm_map:floor=1e-5,rel=1,on=all", "floor is '1e-5'; expected a decimal between 0 and 1"),
    ],
)
def test_a_wrong_definition_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse(text)
