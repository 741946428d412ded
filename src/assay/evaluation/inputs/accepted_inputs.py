"""The inputs that `evaluate` and `compare` accept, in any shape, as objects that can be aligned.

A call that mixes kinds of input, or passes them in the wrong order, gets a sentence that shows how
to call it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.data.arrays import Arrays
from assay.data.corpus import COLUMNS as CORPUS_TABLES
from assay.data.corpus import Corpus
from assay.data.input_types import (
    Columns,
    Rankings,
    Values,
    described,
    frame_columns,
    is_frame,
    is_rows,
    wrong_type,
)
from assay.data.label_table import LabelTable, label_arrays, one_column
from assay.data.logs.log import Log, is_log, read_log
from assay.data.logs.log_rows import holds_log
from assay.data.predictions import EnginePredictions, Predictions
from assay.data.readers.column_names import plain_name
from assay.data.readers.qrels_and_runs import read_qrels, read_run
from assay.data.runs import JudgedRun, Run
from assay.data.tasks.task_input import TaskInput
from assay.errors import Fault, InputError

if TYPE_CHECKING:
    from assay.evaluation.inputs.align_input import Input

RUN_CALL = {"evaluate": "evaluate(run, qrels=…)", "compare": "compare(run_a, run_b, qrels=…)"}
CORPUS_CALL = {"evaluate": "evaluate(predictions, corpus)", "compare": "compare(a, b, corpus=…)"}
LABEL_CALL = {"evaluate": "evaluate(labels=…, probs=…)", "compare": "compare(probs_a, probs_b, labels=…)"}
LOG_CALL = {"evaluate": "evaluate(log)", "compare": "compare(log_a, log_b)"}
TABLES = ("candidates", "decisions", "tune", "roles")
PREDICTIONS = (
    "predictions: a folder, a table of candidates, or a dict of the tables candidates, decisions, tune "
    "and roles"
)
BY_NAME = "labels and probabilities are passed by name"
CORPUS = "a corpus: a folder, or a dict of the tables sentences, criteria and gold"


@dataclass(frozen=True, slots=True)
class Beside:
    """The arguments that accompany what a system answered, apart from a corpus."""

    qrels: Rankings | None = None
    split: str | None = None
    qrels_columns: Columns | None = None
    run_columns: Columns | None = None
    labels: Values | None = None
    probs: Values | None = None
    groups: Values | None = None
    folds: Values | None = None

    def given(self, *names: str) -> list[str]:
        """Return which of these arguments were given."""
        return [name for name in names if getattr(self, name) is not None]


ARRAYS = ("labels", "probs", "groups", "folds")
READING = ("split", "qrels_columns", "run_columns")


def _calls(call: str) -> str:
    return f"{RUN_CALL[call]}, {CORPUS_CALL[call]}, {LABEL_CALL[call]} or {LOG_CALL[call]}"


def has_labels_alone(made: object) -> bool:
    """Return whether an input has labels and probabilities, and no rankings."""
    return isinstance(made, LabelTable)


def accepted_input(first: Any, corpus: Any, beside: Beside) -> tuple[Input, Corpus | str | Path | None]:
    """Return the input of `evaluate`, and the corpus where it needs one."""
    if beside.given(*ARRAYS):
        return _labelled(first, corpus, beside), None
    if beside.qrels is not None:
        _refuse_own(first, corpus, "evaluate")
        return judged_runs([first], beside, ["run"])[0], None
    refuse_unused(beside)
    if corpus is None:
        first = _log_of(first)
    if _is_read(first) or (corpus is None and is_log(first)):
        return first, corpus
    if corpus is None:
        raise _without_judgements(first, "evaluate")
    asked = corpus_input(corpus, "evaluate")
    return predictions_input(first), asked


def accepted_systems(
    systems: Sequence[Any], corpus: Any, beside: Beside
) -> tuple[list[Input], Corpus | str | Path | None]:
    """Return the inputs of `compare`, and the corpus where they need one."""
    if beside.given(*ARRAYS):
        return _probabilities(systems, corpus, beside), None
    if beside.qrels is not None:
        for each in systems:
            _refuse_own(each, corpus, "compare")
        names = [f"run {place}" for place in range(1, len(systems) + 1)]
        return [*judged_runs(systems, beside, names)], None
    refuse_unused(beside)
    if corpus is not None:
        asked = corpus_input(corpus, "compare")
        answers = [each if _is_read(each) else predictions_input(each) for each in systems]
        return answers, asked
    systems = [_log_of(each) for each in systems]
    for each in systems:
        if not _is_read(each) and not isinstance(each, Predictions | str | Path):
            raise _without_judgements(each, "compare")
    return systems, None


def _log_of(given: Any) -> Any:
    """Return the log that a table in memory holds; anything else as it is."""
    if isinstance(given, Iterator):
        given = list(given)
    in_memory = not isinstance(given, str | Path) and is_table(given)
    return read_log(given) if in_memory and holds_log(given) else given


def _is_read(each: Any) -> bool:
    return isinstance(each, JudgedRun | LabelTable | Arrays | Log | TaskInput)


def _probabilities(systems: Sequence[Any], corpus: Any, beside: Beside) -> list[Input]:
    """Return arrays of probabilities, each with the same labels, groups and folds."""
    others = [*(["corpus"] if corpus is not None else []), *beside.given("qrels", *READING)]
    if others or beside.labels is None:
        problem = (
            f"labels with {', '.join(others)}" if others else f"{beside.given(*ARRAYS)[0]} without labels"
        )
        raise InputError.of("compare", problem, "expected compare(probs_a, probs_b, labels=…)")
    names = [f"probs {place}" for place in range(1, len(systems) + 1)]
    listed = {name: one_column(name, getattr(beside, name)) for name in beside.given(*ARRAYS)}
    return [
        label_arrays(
            listed["labels"], one_column(name, each), listed.get("groups"), listed.get("folds"), name
        )
        for name, each in zip(names, systems, strict=True)
    ]


def refuse_unused(beside: Beside) -> None:
    """Raise for arguments that only go with judgements."""
    unused = beside.given(*READING)
    if unused:
        raise InputError(
            Fault(f"`{name}`", "", "has no effect without `qrels`", "leave it out") for name in unused
        )


def _refuse_own(first: Any, corpus: Any, call: str) -> None:
    if corpus is not None:
        expected = f"expected {RUN_CALL[call]} or {CORPUS_CALL[call]}"
        raise InputError.of(call, "a corpus and `qrels` were given", expected)
    if first is None:
        raise InputError.of(call, "no run was given", f"expected {RUN_CALL[call]}")
    if _is_read(first):
        raise InputError.of(
            "`qrels`", "has no effect on an input that has its own judgements", "leave it out"
        )
    if isinstance(first, Predictions | Corpus):
        problem = f"is {described(first)}, which has no effect with `qrels`"
        raise InputError.of(call, problem, f"expected {RUN_CALL[call]} or {CORPUS_CALL[call]}")


def judged_runs(runs: Sequence[Any], beside: Beside, names: Sequence[str]) -> list[JudgedRun]:
    """Return runs with the same judgements; the faults of all of them are raised at once."""
    assert beside.qrels is not None, "the caller has checked it"
    faults: list[Fault] = []
    qrels, made = None, list[Run]()
    try:
        qrels = read_qrels(beside.qrels, beside.split, beside.qrels_columns)
    except InputError as error:
        faults += error.faults
    for run, name in zip(runs, names, strict=True):
        try:
            made.append(read_run(run, name, columns=beside.run_columns))
        except InputError as error:
            faults += error.faults
    if faults or qrels is None:
        raise InputError(faults)
    return [JudgedRun(qrels, run) for run in made]


def _labelled(first: Any, corpus: Any, beside: Beside) -> LabelTable:
    others = [*(["predictions"] if first is not None else []), *(["corpus"] if corpus is not None else [])]
    others += beside.given("qrels", *READING)
    if others:
        problem = f"{', '.join(beside.given(*ARRAYS))} with {', '.join(others)}"
        expected = f"expected one kind of input: {_calls('evaluate')}"
        raise InputError.of("evaluate", problem, expected)
    missing = [name for name in ("labels", "probs") if getattr(beside, name) is None]
    if missing:
        problem = f"{', '.join(beside.given(*ARRAYS))} without {' and '.join(missing)}"
        raise InputError.of("evaluate", problem, f"expected {LABEL_CALL['evaluate']}")
    assert beside.labels is not None, "it is not missing"
    assert beside.probs is not None, "it is not missing"
    return label_arrays(beside.labels, beside.probs, beside.groups, beside.folds)


def corpus_input(corpus: Any, call: str) -> Corpus | str | Path:
    """Return a corpus of any shape; judgements or labels in its place are told where they go."""
    if isinstance(corpus, Corpus):
        return corpus
    if isinstance(corpus, str | Path):
        if Path(corpus).is_file():
            expected = f"expected a corpus folder; judgements are passed by name: {RUN_CALL[call]}"
            raise InputError.of(str(corpus), "is a file", expected)
        return corpus
    if isinstance(corpus, Mapping) and corpus and set(corpus) <= set(CORPUS_TABLES):
        return Corpus.of(**corpus)
    is_array = isinstance(corpus, Iterable) and not isinstance(corpus, Mapping) and not is_rows(corpus)
    by_name = f"judgements are passed by name: {RUN_CALL[call]}"
    if is_array and not is_frame(corpus):
        by_name = f"{BY_NAME}: {LABEL_CALL[call]}"
    raise wrong_type("corpus", corpus, f"{CORPUS}; {by_name}")


def predictions_input(given: Any) -> Predictions | EnginePredictions | str | Path:
    """Return predictions of any shape."""
    if isinstance(given, Predictions | EnginePredictions | str | Path):
        return given
    if isinstance(given, Mapping) and "candidates" in given and set(given) <= set(TABLES):
        return Predictions.of(**given)
    if is_table(given):
        return Predictions.of(given)
    raise wrong_type("predictions", given, PREDICTIONS)


def is_table(given: Any) -> bool:
    """Return whether a value is a table in memory."""
    return is_frame(given) or is_rows(given) or isinstance(given, Mapping)


def _without_judgements(first: Any, call: str) -> InputError:
    """Return the sentence for a call with nothing but what a system answered, or what may be that."""
    if first is None:
        return InputError.of(call, "nothing to evaluate was given", f"expected {_calls(call)}")
    if isinstance(first, str | Path):
        return _path_alone(Path(first), call)
    if isinstance(first, Predictions):
        return InputError.of(call, "no corpus was given", f"expected {CORPUS_CALL[call]}")
    if _has_labels(first):
        expected = f"expected {LABEL_CALL[call]}, or what assay.read_decisions(table) returns"
        return InputError.of("`predictions`", f"is {described(first)}, a table of labels", expected)
    if is_table(first):
        problem = f"is {described(first)}, and no judgements were given"
        return InputError.of("`predictions`", problem, f"expected {_calls(call)}")
    by_name = f"; {BY_NAME}: {LABEL_CALL[call]}" if isinstance(first, Iterable) else ""
    return wrong_type("predictions", first, _calls(call) + by_name)


def _path_alone(path: Path, call: str) -> InputError:
    if not path.exists():
        return InputError.of(str(path), "not found", f"expected {_calls(call)}")
    if not path.is_file():
        return InputError.of(call, "no corpus was given", f"expected {CORPUS_CALL[call]}")
    expected = f"expected {RUN_CALL[call]}, or what assay.read_decisions(table) returns"
    return InputError.of(str(path), "is a file, and no judgements were given", expected)


def _has_labels(first: Any) -> bool:
    names: Iterable[Any] = ()
    if is_frame(first):
        names = frame_columns(first)
    elif isinstance(first, Mapping):
        names = first
    elif is_rows(first):
        names = [name for row in list(first)[:1] for name in row]
    found = {plain_name(str(name)) for name in names}
    return bool(found & {"prob", "probs", "probability", "p"}) and not found & {"query_id", "qid"}
