"""`evaluate`: what was answered against what was asked, under a contract."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.contracts.load import DEFAULT
from assay.contracts.load import contract as load_contract
from assay.contracts.model import Contract
from assay.data.align import Rules
from assay.data.model import Cases
from assay.data.plain import Qrels, Run, plain_cases
from assay.data.readers.plain import read_qrels, read_run
from assay.errors import InputError
from assay.evaluation.intervals import Bootstrap
from assay.evaluation.result import Result
from assay.evaluation.run import evaluate_cases

if TYPE_CHECKING:  # a kind of input is loaded where it is met: a run needs none of these
    from assay.data.arrays import Arrays
    from assay.data.corpus import Corpus
    from assay.data.labelled import Labelled
    from assay.data.predictions import Predictions


@dataclass(frozen=True, slots=True)
class Judged:
    """A run with its judgements: plain IR, ready to be evaluated."""

    qrels: Qrels
    run: Run

    @property
    def name(self) -> str:
        """What the system is called."""
        return self.run.source

    def cases(self, rules: Rules) -> Cases:
        """Join and rank under the rules of a contract."""
        return plain_cases(self.qrels, self.run, rules)


def read_trec(qrels: Any, run: Any, *, split: str | None = None, name: str | None = None) -> Judged:
    """Judgements and a run: TREC text (plain or gzip), BEIR, Parquet, a data frame; a dict as run.

    The judgements are read now, a run of TREC text in blocks when it is evaluated.
    """
    return Judged(read_qrels(qrels, split), read_run(run, name))


def read_decisions(
    source: Any, *, prob: str = "prob", label: str = "label", group: str | None = None
) -> Labelled:
    """A plain table of labels and probabilities: CSV, Parquet or a data frame.

    `group` names the column of the units that belong together, such as posts or patients.
    """
    from assay.data.labelled import Labelled  # noqa: PLC0415
    from assay.data.readers.tables import read_table, table_of  # noqa: PLC0415

    is_path = isinstance(source, str | Path)
    table = read_table(Path(source), ()) if is_path else table_of(source, "decisions")
    return Labelled(table, prob, label, group)


def evaluate(
    predictions: Predictions | Judged | Arrays | Labelled | str | Path,
    corpus: Corpus | str | Path | None = None,
    *,
    contract: Contract | str | Path = DEFAULT,
    by: Sequence[str] = (),
    measures: Iterable[str] | None = None,
    k: Sequence[int] | None = None,
    level: int | None = None,
    depth: int | None = None,
    complete: bool = False,
    system: str | None = None,
    bootstrap: Bootstrap | None = None,
) -> Result:
    """Every measure of a contract.

    `predictions` with `corpus` (objects or folders), or alone what `read_trec`,
    `read_decisions` or `Arrays.of` give.
    `by` names
    columns to break results down by. `measures` replaces the contract's list, `k` its cut-offs;
    `level`, `depth` and `complete` are the counterparts of trec_eval's -l, -M and -c. `bootstrap`
    says how intervals are made; without it there are none.
    """
    rules = contract if isinstance(contract, Contract) else load_contract(contract)
    rules = rules.changed(level=level, depth=depth, complete=complete, k=tuple(k) if k else None)
    cases, name = _aligned(predictions, corpus, rules.rules)
    return evaluate_cases(
        cases, rules, system=system or name, by=by, measures=measures, bootstrap=bootstrap
    )


def _aligned(
    predictions: Predictions | Judged | Arrays | Labelled | str | Path,
    corpus: Corpus | str | Path | None,
    rules: Rules,
) -> tuple[Cases, str]:
    """The cases of an input of any kind, and what the system is called."""
    if isinstance(predictions, Judged):
        return predictions.cases(rules), predictions.name
    from assay.data.arrays import Arrays  # noqa: PLC0415
    from assay.data.corpus import Corpus, read_corpus  # noqa: PLC0415
    from assay.data.labelled import Labelled  # noqa: PLC0415
    from assay.data.pairing import paired_cases  # noqa: PLC0415
    from assay.data.predictions import Predictions, load_predictions  # noqa: PLC0415

    if isinstance(predictions, Arrays | Labelled):
        return predictions.cases(rules), predictions.name
    if corpus is None:
        raise InputError.of("evaluate", "no corpus was given", "predictions and their corpus")
    asked = corpus if isinstance(corpus, Corpus) else read_corpus(corpus)
    answered = (
        predictions if isinstance(predictions, Predictions) else load_predictions(predictions)
    )
    return paired_cases(asked, answered, rules), answered.name
