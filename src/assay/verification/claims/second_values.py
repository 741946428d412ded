"""Values of the second implementation, which reads the tables of a bundle in its own process."""

from __future__ import annotations

from collections.abc import Iterable

from assay.contracts.contract import Contract
from assay.data.label_table import LabelTable
from assay.data.logs.log import Log
from assay.evaluation.evaluate import evaluate_under
from assay.files.temporary import temporary_folder
from assay.verification.recompute.verify import answers_of, second_opinion


def second_values(
    given: Log | LabelTable, contract: Contract, definitions: Iterable[str]
) -> dict[str, float | None]:
    """Return the pooled value of each definition id as `assay_oracle` computes it."""
    result = evaluate_under(contract, given, measures=definitions)
    with temporary_folder() as scratch:
        folder = result.save(scratch / "bundle")
        asked = second_opinion(folder, None)
        try:
            answers = answers_of(asked, folder)
        except BaseException:  # also on an interrupt, or the process would be left running
            asked.kill()
            raise
    names = {f"measures/{value.name}/pooled": value.definition for value in result.measures}
    return {names[each["what"]]: each["recomputed"] for each in answers if each["what"] in names}
