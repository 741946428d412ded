"""`read_task`: the official files of a shared task, ready to be evaluated."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.data.tasks.erisk import read_erisk
from assay.data.tasks.fever import read_fever
from assay.data.tasks.nomiracl import read_nomiracl
from assay.data.tasks.scifact import read_scifact
from assay.data.tasks.squad2_files import read_squad2_files
from assay.data.tasks.task_input import TaskInput
from assay.errors import Fault, InputError, shown

if TYPE_CHECKING:
    from assay.data.runs import JudgedRun

READERS: Mapping[str, Callable[..., list[TaskInput] | list[JudgedRun]]] = {
    "squad2": read_squad2_files,
    "fever": read_fever,
    "scifact": read_scifact,
    "nomiracl": read_nomiracl,
    "erisk": read_erisk,
}
"""By name of the task; a reader returns one input per system."""


def read_task(
    task: str, predictions: str | Path | None = None, data: str | Path | None = None, **options: Any
) -> TaskInput | JudgedRun:
    """Read the official files of a shared task, of one system.

    Parameters
    ----------
    task
        "squad2", "fever", "scifact", "nomiracl" or "erisk".
    predictions
        The file of the system; for erisk a TREC run.
    data
        The data set with the gold labels; for erisk the judgements. A file of FEVER that has the
        gold in each line needs none.
    options
        What only some tasks have: `na_prob`, `na_prob_thresh` (squad2), `scorer` (scifact),
        `relevant`, `non_relevant` and `model` (nomiracl). See docs/tasks.

    Returns
    -------
    TaskInput or JudgedRun
        The input of `evaluate` and `compare`, which knows its contract.

    Raises
    ------
    InputError
        With all faults of the files.

    Examples
    --------
    >>> from pathlib import Path
    >>> line = '{"label": "NOT ENOUGH INFO", "evidence": [], "predicted_label": "REFUTES", '
    >>> _ = Path("claims.jsonl").write_text(line + '"predicted_evidence": []}')
    >>> result = assay.evaluate(assay.read_task("fever", "claims.jsonl"))
    >>> result.contract.id, result["label_accuracy"].value
    ('fever/1', 0.0)

    """
    if "model" in options:
        options["models"] = [options.pop("model")]
    made = read_task_systems(task, predictions=predictions, data=data, **options)
    if len(made) != 1:
        names = ", ".join(each.name for each in made if isinstance(each, TaskInput))
        raise InputError.of(
            "`model`", f"is needed: the files have {len(made)} systems", f"expected one of {names}"
        )
    return made[0]


def read_task_systems(task: str, **options: Any) -> list[TaskInput] | list[JudgedRun]:
    """Read the official files of a shared task, of each system that they have."""
    if task not in READERS:
        raise InputError.of("`task`", f"is {shown(task)}", f"expected {', '.join(READERS)}")
    reader = READERS[task]
    parameters = inspect.signature(reader).parameters
    given = {name: value for name, value in options.items() if value is not None}
    faults = [
        Fault(f"`{name}`", "", f"has no effect on {task}", f"expected {', '.join(parameters)}")
        for name in given
        if name not in parameters
    ]
    faults += [
        Fault(f"`{name}`", "", f"is missing; {task} needs it", "expected a file")
        for name, each in parameters.items()
        if each.default is inspect.Parameter.empty and name not in given
    ]
    if faults:
        raise InputError(faults)
    return reader(**given)
