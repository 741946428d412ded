"""Values that the official scorers of shared tasks gave for prediction files, next to assay's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import assay
from assay.data.tasks.read_task import read_task_systems

from ..everyday.comparisons import Compared

SQUAD2, FEVER, NOMIRACL = "evaluate-v2.0.py of SQuAD", "fever-scorer", "nomiracl 1.0.0"
LEADERBOARD, PIPELINE = "scifact-evaluator", "SciFact's research code"
MODES: Mapping[str, Mapping[str, Any]] = {
    "default": {"na_prob": True},
    "thresh_0.5": {"na_prob": True, "na_prob_thresh": 0.5},
    "no_na_prob_file": {},
}
FEVER_CUTS = {"max_evidence_5": "5", "max_evidence_none": "all", "max_evidence_1": "1"}
TREC_NAMES = {"map": "AP", "Rprec": "R-PREC", "P_10": "P@10", "ndcg_cut_1000": "NDCG@1000"}
RECORDED_ONLY = (
    "evidence_group_recall",
    "label_accuracy",
    "strict_score",
    "claim_precision",
    "claim_recall",
    "claim_f1",
    "abstract_score",
    "rationale_score",
    "answer_exact",
    "answer_f1",
    "best_answers",
    "best_answers_threshold",
    "answer_ap",
    "hallucination_rate",
    "false_refusal_rate",
    "invalid_rate",
    "response_accuracy",
)
"""Measures that are compared with recorded outputs of official scorers, and with nothing else outside."""
LEFT_OUT = "run06"  # pytrec_eval reads its scores as 32-bit floats


@dataclass(frozen=True)
class Recorded:
    """A file with the values or the error that an official scorer gave; `ours` is a result or an error."""

    case: str
    peer: str
    ours: assay.Result | assay.InputError
    expected: Mapping[str, float | None]  # by our names; None: the scorer gives no such value
    crash: str | None = None

    def rows(self) -> Iterator[Compared]:
        if isinstance(self.ours, assay.InputError) or self.crash is not None:
            return
        for name, value in self.expected.items():
            if value is not None:
                found = self.ours[name]
                family = found.definition.partition(":")[0].partition("@")[0]
                yield Compared(family, found.definition, self.peer, float(found.value), float(value))


def compared_tasks(data: Path) -> Iterator[Compared]:
    """Yield every value of every task."""
    for each in every_task(data):
        yield from each.rows()


def every_task(data: Path) -> Iterator[Recorded]:
    yield from squad2(data / "tasks" / "squad2")
    yield from fever(data / "tasks" / "fever")
    yield from scifact(data / "tasks" / "scifact")
    yield from nomiracl(data / "tasks" / "nomiracl")
    yield from erisk(data / "tasks" / "erisk")


def squad2(folder: Path) -> Iterator[Recorded]:
    for case in json.loads((folder / "cases.json").read_text()):
        name = case["name"]
        recorded = json.loads((folder / "expected" / f"{name}.json").read_text())
        for mode, options in MODES.items():
            if mode in recorded:
                given = {**options, "data": folder / case["gold"]}
                if given.pop("na_prob", False) and (folder / "na_prob" / f"{name}.json").exists():
                    given["na_prob"] = folder / "na_prob" / f"{name}.json"
                ours = evaluated("squad2", predictions=folder / "pred" / f"{name}.json", **given)
                crash = recorded[mode].pop("error", None)
                yield Recorded(f"{name} {mode}", SQUAD2, ours, recorded[mode], crash)


def fever(folder: Path) -> Iterator[Recorded]:
    for name, recorded in json.loads((folder / "expected.json").read_text()).items():
        path = folder / "pred" / f"{name}.jsonl"
        ours = evaluated("fever", predictions=path)
        for key, k in FEVER_CUTS.items():
            crash = recorded[key].pop("error", None)
            expected = {
                measure if measure == "label_accuracy" else f"{measure}@{k}": value
                for measure, value in recorded[key].items()
            }
            yield Recorded(f"{name} {key}", FEVER, ours, expected, crash)
            if crash is None and _has_groups(path):
                group = f"evidence_group_recall@{k}:rel=1,on=evidence"
                alone = evaluated("fever", measures=[group], predictions=path)
                yield Recorded(f"{name} {key} groups", FEVER, alone, {group: recorded[key]["recall"]})


def _has_groups(path: Path) -> bool:
    """Return whether every claim that is not NOT ENOUGH INFO has groups, and each group a sentence."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    judged = [row["evidence"] for row in rows if row["label"].upper() != "NOT ENOUGH INFO"]
    return bool(judged) and all(groups and all(groups) for groups in judged)


def scifact(folder: Path) -> Iterator[Recorded]:
    for name, recorded in json.loads((folder / "expected.json").read_text()).items():
        given: dict[str, Any] = {
            "data": folder / recorded["gold"],
            "predictions": folder / "pred" / f"{name}.jsonl",
        }
        found, crash = recorded["leaderboard"], recorded["leaderboard"].pop("error", None)
        yield Recorded(f"{name} leaderboard", LEADERBOARD, evaluated("scifact", **given), found, crash)
        found, crash = recorded["pipeline"], recorded["pipeline"].pop("error", None)
        expected = {
            f"{'pipeline/' * (kind == 'abstract_rationalized')}{kind}_{stat}": value
            for kind, stats in found.items()
            for stat, value in stats.items()
        }
        ours = evaluated("scifact", scorer="pipeline", **given)
        yield Recorded(f"{name} pipeline", PIPELINE, ours, expected, crash)


def nomiracl(folder: Path) -> Iterator[Recorded]:
    for name, recorded in json.loads((folder / "expected.json").read_text()).items():
        subset = name.partition("/")[0]
        wrong = "Error" if subset == "relevant" else "Hallucination"
        for made in read_task_systems("nomiracl", **{subset: folder / name}):
            assert isinstance(made, assay.TaskInput)
            expected = {
                f"{subset}/{measure}": recorded["official"].get(measure, {}).get(made.name)
                for measure in ("Accuracy", wrong, "Invalid")
            }
            yield Recorded(f"{name} {made.name}", NOMIRACL, assay.evaluate(made), expected)


def erisk(folder: Path) -> Iterator[Recorded]:
    for run, recorded in json.loads((folder / "expected.json").read_text()).items():
        for kind in ("majority", "consensus"):
            given: dict[str, Any] = {
                "data": folder / f"qrels_{kind}.csv",
                "predictions": folder / f"{run}.txt.gz",
            }
            ours = evaluated("erisk", **given)
            printed = recorded[kind]["trec_eval_c"]["all"]
            expected = {ours_name: float(printed[name]) for name, ours_name in TREC_NAMES.items()}
            yield Recorded(f"{run} {kind}", "trec_eval 10 -c", ours, expected)
            if run != LEFT_OUT:
                means = recorded[kind]["pytrec_eval_mean_over_queries_in_both"]
                expected = {f"answered/{TREC_NAMES[name]}": value for name, value in means.items()}
                yield Recorded(f"{run} {kind}", "pytrec_eval", ours, expected)


def evaluated(
    task: str, measures: Sequence[str] | None = None, **files: Any
) -> assay.Result | assay.InputError:
    """Return the result, or the error of the files."""
    try:
        return assay.evaluate(assay.read_task(task, **files), measures=measures)
    except assay.InputError as error:
        return error


def apart(records: Iterable[Recorded]) -> dict[str, object]:
    """Return what differs, by case: a value, an absent one, or an error that only one of the two has."""
    found: dict[str, object] = {}
    for each in records:
        if isinstance(each.ours, assay.InputError):
            if each.crash is None:
                found[each.case] = str(each.ours)
            continue
        if each.crash is not None:
            found[each.case] = each.crash
            continue
        for name, value in each.expected.items():
            ours = each.ours[name].value if name in each.ours else None
            if ours != value:
                found[f"{each.case} {name}"] = (ours, value)
    return found
