"""The files of a shared task that options name, read as the library takes them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.options import SEVERAL, flag_of, option
from assay.cli.unused_options import Needs
from assay.errors import Fault, InputError, shown

if TYPE_CHECKING:
    from assay.data.runs import JudgedRun
    from assay.data.tasks.task_input import TaskInput

GROUP = "shared tasks\nOfficial files of a task, evaluated as by its official script (docs/tasks.md)."
NAMES = ("squad2", "fever", "scifact", "nomiracl", "erisk")
OPTIONS = (
    option("--task NAME", f"shared task: {', '.join(NAMES)}"),
    option("--data FILE", "data set with the gold labels (squad2, fever, scifact)"),
    option("--na-prob FILE", "no-answer probabilities, one file per PREDICTIONS (squad2)", **SEVERAL),
    option(
        "--na-prob-thresh X",
        "withhold answers with a no-answer probability above X (squad2; default: 1)",
        type=float,
    ),
    option("--scorer leaderboard|pipeline", "official scorer to follow (scifact; default: leaderboard)"),
    option("--relevant FILE", "responses on the relevant subset (nomiracl)"),
    option("--non-relevant FILE", "responses on the non-relevant subset (nomiracl)"),
    option("--model NAME", "evaluate only this model; repeatable (nomiracl)", action="append", dest="models"),
    option("--consensus FILE", "consensus judgements, next to the majority ones of --qrels (erisk)"),
)
OWN = {
    "data": ("squad2", "fever", "scifact"),
    "na_prob": ("squad2",),
    "na_prob_thresh": ("squad2",),
    "scorer": ("scifact",),
    "relevant": ("nomiracl",),
    "non_relevant": ("nomiracl",),
    "models": ("nomiracl",),
    "consensus": ("erisk",),
}
"""Options of tasks, and the tasks that use them."""
TASK_NEEDS: Needs = dict.fromkeys(OWN, ("task",))
OTHERS: Mapping[str, tuple[str, ...]] = {
    "predictions": ("squad2", "fever", "scifact"),
    **dict.fromkeys(("qrels", "runs", "qrels_columns"), ("erisk",)),
    **dict.fromkeys(("corpus", "decisions", "split", "run_columns", "engine", "fields", "log_format"), ()),
}
"""Options of other inputs, and the tasks that use them."""
NamesOf = Callable[[Sequence[Path]], list[str]]
Named = tuple[str, "TaskInput | JudgedRun"]


def task_systems(options: argparse.Namespace, names_of: NamesOf) -> list[Named]:
    """Return the name and the input of each system on the task; `names_of` names systems by their files."""
    from assay.cli.ending import tell
    from assay.data.tasks.read_task import read_task_systems
    from assay.data.tasks.task_input import TaskInput

    task: str = options.task
    if task not in NAMES:
        raise InputError.of("--task", f"is {shown(task)}", f"expected {', '.join(NAMES)}")
    faults = [
        Fault(flag_of(options.typed[name]), "", f"has no effect on {task}", "leave it out")
        for name, tasks in {**OWN, **OTHERS}.items()
        if name in options.typed and task not in tasks
    ]
    if faults:
        raise InputError(faults)
    found: list[Named] = []
    for named, arguments in _arguments(options, task, names_of):
        for made in read_task_systems(task, **arguments):
            own = made.name if isinstance(made, TaskInput) else made.run.source
            for note in made.notes if isinstance(made, TaskInput) else ():
                tell(f"{own}: {note}")
            found.append((named or own, made))
    return found


def _arguments(
    options: argparse.Namespace, task: str, names_of: NamesOf
) -> list[tuple[str | None, dict[str, object]]]:
    """Return the name of each system, None if its reader knows it, and the arguments of the reader."""
    if task == "nomiracl":
        given = {"relevant": options.relevant, "non_relevant": options.non_relevant}
        return [(None, {**given, "models": options.models})]
    if task == "erisk":
        if not options.qrels or not options.runs:
            raise InputError.of(
                "--task erisk", "needs judgements and runs", "expected --qrels FILE --run FILE"
            )
        columns = {"consensus": options.consensus, "qrels_columns": options.qrels_columns}
        return [
            (None, {"data": options.qrels, "predictions": run, "name": name, **columns})
            for name, run in zip(names_of(options.runs), options.runs, strict=True)
        ]
    if not options.predictions:
        raise InputError.of(f"--task {task}", "has no predictions", "expected PREDICTIONS, a file per system")
    names, na_prob = names_of(options.predictions), options.na_prob or [None] * len(options.predictions)
    if len(na_prob) != len(names):
        problem = f"has {len(na_prob)} files for {len(names)} PREDICTIONS"
        raise InputError.of("--na-prob", problem, "expected one per PREDICTIONS, in the same order")
    made: list[tuple[str | None, dict[str, object]]] = []
    for name, path, withheld in zip(names, options.predictions, na_prob, strict=True):
        more = {"na_prob": withheld, "na_prob_thresh": options.na_prob_thresh, "scorer": options.scorer}
        known = {key: value for key, value in more.items() if value is not None}
        made.append((name, {"data": options.data, "predictions": path, **known}))
    return made
