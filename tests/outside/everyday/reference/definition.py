"""Definition ids: names, cut-offs, parameters with their documented defaults, populations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ..case import Query

# As docs/metrics.md prints them under "Definition at the defaults".
DEFAULTS = """
recall@10:gold=all,rel=1,on=evidence
precision@10:denominator=k,rel=1,on=evidence
hit@10:rel=1,on=evidence
mrr:rel=1,on=evidence
map@10:denominator=min_r_k,cut=k,rel=1,on=evidence
ndcg@10:gain=linear,gold=all,cut=k,on=evidence
f@10:beta=1,rel=1,on=evidence
judged@10:denominator=k_eff,on=evidence
unjudged@10:denominator=k,on=evidence
rprec:rel=1,on=evidence
bpref:rel=1,on=evidence
rbp:p=0.8,rel=1,on=evidence
rbp_resid:p=0.8,on=evidence
err@10:gmax=1,on=evidence
set_precision:rel=1,on=evidence
set_recall:rel=1,on=evidence
set_f:beta=1,rel=1,on=evidence
insq:target=1,gmax=1,depth=endless,on=evidence
inst:target=1,gmax=1,depth=endless,on=evidence
nerr8@10:gmax=1,on=evidence
nerr9@10:gmax=1,on=evidence
nerr10:p=0.9,gmax=1,depth=endless,on=evidence
nerr11:target=1,gmax=1,depth=endless,on=evidence
sdcg@10:gmax=1,on=evidence
bpm@10:target=1,gmax=1,on=evidence
compatibility:p=0.95,normalized=yes,on=evidence
risk:at=0.5,on=all
coverage:at=0.5,on=all
prevalence_ppv@0.10:at=0.5,on=all
prevalence_npv@0.10:at=0.5,on=all
sentence_micro:of=f1,rel=1,on=all
iprec@0.10:need=ceil,rel=1,on=evidence
iprec_avg:need=ceil,rel=1,on=evidence
gm_map:floor=0.00001,rel=1,on=evidence
num_q:on=all
num_ret:on=all
num_rel:rel=1,on=all
num_rel_ret:rel=1,on=all
num_nonrel_judged_ret:rel=1,on=all
auroc:on=all
auprc:on=all
pair_auroc:rel=1,on=all
pair_auprc:rel=1,on=all
score_auroc:on=all
score_auprc:on=all
tpr_at_fpr@0.10:threshold=same,on=all
fpr_reached@0.10:threshold=same,on=all
tp:at=0.5,on=all
fp:at=0.5,on=all
tn:at=0.5,on=all
fn:at=0.5,on=all
sensitivity:at=0.5,on=all
specificity:at=0.5,on=all
fpr:at=0.5,on=all
fnr:at=0.5,on=all
ppv:at=0.5,on=all
npv:at=0.5,on=all
f1:at=0.5,on=all
accuracy:at=0.5,on=all
mcc:at=0.5,on=all
balanced_accuracy:at=0.5,on=all
expected_cost:fp=1,fn=10,at=0.5,on=all
net_benefit@0.10:on=all
ece:bins=10,on=all
ece_floor:bins=10,on=all
ece_debiased:bins=10,on=all
brier:on=all
brier_reliability:bins=10,on=all
brier_resolution:bins=10,on=all
brier_uncertainty:on=all
calibration_slope:clip=0.000001,on=all
calibration_intercept:clip=0.000001,on=all
aurc:at=0.5,on=all
eaurc:at=0.5,on=all
nauc@10:of=ndcg,by=max,on=predicted
selected_k:stat=mean,on=all
evidence_recall:average=macro,rel=1,on=evidence
evidence_precision:average=macro,rel=1,on=evidence
utility:abstain=1,found=1,missed=0,alarm=0,at=returned,on=all
rate:state=neg,on=all
alert_rate_per_1000:on=all
screening_fn_per_1000:on=all
exact_match:at=returned,on=all
hamming_score:at=returned,on=all
hamming_loss:at=returned,on=all
macro_f1:over=posts,empty=0,at=returned,on=all
weighted_f1:over=criteria,at=returned,on=all
"""

OTHER_NAMES = {"success": "hit", "hit_rate": "hit", "p": "precision", "recip_rank": "mrr", "rr": "mrr"}

POPULATIONS: Mapping[str, Callable[[Query], bool]] = {
    "evidence": lambda query: query.has_evidence,
    "no_evidence": lambda query: not query.has_evidence,
    "all": lambda query: True,
    "predicted": lambda query: len(query.candidates) >= 1,
    "returned": lambda query: query.selected_k >= 1,
}


@dataclass(frozen=True)
class Definition:
    """A measure with its cut-off and all of its parameters."""

    name: str
    cut: str | None
    args: Mapping[str, str]

    def __getitem__(self, parameter: str) -> str:
        return self.args[parameter]

    @property
    def k(self) -> float:
        """The cut-off as a rank; infinite for `@all` and where there is none."""
        return math.inf if self.cut in (None, "all") else int(str(self.cut))

    @property
    def rel(self) -> int:
        """The lowest grade that is gold."""
        return int(self.args.get("rel", "1"))


def split(text: str) -> Definition:
    """Split an id into its parts as they are written."""
    head, _, tail = text.partition(":")
    name, _, cut = head.partition("@")
    args = dict(part.split("=", 1) for part in tail.split(",") if part)
    return Definition(name, cut or None, args)


FAMILIES = {split(text).name: split(text) for text in DEFAULTS.split()}


def parse(text: str) -> Definition:
    """Return the definition with defaults filled in; refuse what the documentation does not have."""
    given = split(text)
    name = OTHER_NAMES.get(given.name, given.name)
    family = FAMILIES[name]
    unknown = set(given.args) - set(family.args)
    if unknown or (name != "mrr" and (given.cut is None) != (family.cut is None)):
        raise ValueError(f"{text}: expected the form {family.name}@{family.cut}:{family.args}")
    return Definition(name, given.cut, {**family.args, **given.args})


def ratio(above: float, below: float) -> float:
    """Divide; a zero denominator gives 0 by convention."""
    return above / below if below else 0.0


def mean(values: Iterable[float]) -> float:
    """Return the mean; of nothing it is 0 by convention."""
    listed = list(values)
    return ratio(math.fsum(listed), len(listed))
