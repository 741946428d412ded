"""The parts of the benchmark: what is measured, compared with which tool, and the target."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from adapters.agreement import largest_difference, rounded_difference
from measure import Sample, Samples, Worker, assay_cli, interleaved, plain, script, trec_eval
from table import Row, times, verdict

PEERS = ("pytrec_eval", "ranx", "ir_measures")
TREC_EVAL = "trec_eval"
"""A binary, where the variable TREC_EVAL names one."""
FASTER = {"sorted": (40, 8), "shuffled": (20, 4)}
"""How many times the CPU of assay ranx should take, from arrays and from frames."""
ARRAYS, FRAMES = "assay, from arrays", "assay, from frames"


@dataclass(frozen=True, slots=True)
class Setting:
    """Folders of the data sets, and how often to repeat."""

    large: Path
    tenth: Path
    small: Path
    tiny: Path
    repeats: int


Part = tuple[list[Row], list[str]]


def same_values(samples: dict[str, Samples], what: str) -> str:
    return largest_difference({tool: found[0].values for tool, found in samples.items()}, what)


def arrays(setting: Setting) -> Part:
    """Evaluate in memory and warm, lists sorted by score and in random order."""
    rows, notes = [], []
    for form in ("sorted", "shuffled"):
        what = f"arrays, {form} lists"
        names = {"assay_arrays": ARRAYS, "assay": FRAMES} | {peer: peer for peer in PEERS}
        workers = {name: Worker(tool, setting.large, form) for tool, name in names.items()}
        notes.append(largest_difference({name: worker.values for name, worker in workers.items()}, what))
        samples = interleaved(workers, setting.repeats)
        for worker in workers.values():
            worker.close()
        ours, framed = samples[ARRAYS].cpu, samples[FRAMES].cpu
        rows.append(Row(what, ARRAYS, samples[ARRAYS], "1×"))
        rows.append(Row(what, FRAMES, samples[FRAMES], times(framed / ours)))
        for peer in PEERS:
            ratio = samples[peer].cpu / ours
            beside = samples[peer].cpu / framed
            shown = f"{times(ratio)} (frames: {times(beside)})"
            target, met = "", ""
            if peer == "ranx":
                wanted, of_frames = FASTER[form]
                target = f"≥ {wanted}×, frames ≥ {of_frames}×"
                met = f"{verdict(ratio >= wanted, times(ratio))}, frames "
                met += verdict(beside >= of_frames, times(beside))
            rows.append(Row(what, peer, samples[peer], shown, target, met))
    return rows, notes


def text(setting: Setting) -> Part:
    """Evaluate TREC text to printed numbers in a new process: CPU and peak memory."""
    what = "text, new process"
    tools: dict[str, Callable[[], Sample]] = {"assay": partial(assay_cli, setting.large, "trec")}
    tools |= {peer: partial(script, peer, setting.large, "trec") for peer in PEERS}
    program = os.environ.get("TREC_EVAL")
    if program:
        tools[TREC_EVAL] = partial(trec_eval, program, setting.large)
    samples = interleaved(tools, setting.repeats)
    ours = samples["assay"]
    rows = [Row(what, "assay", ours, "1×")]
    notes = []
    if program:
        binary = samples.pop(TREC_EVAL)
        ratio = binary.cpu / ours.cpu
        rows.append(Row(what, TREC_EVAL, binary, times(ratio), "≥ 5×", verdict(ratio >= 5, times(ratio))))
        notes.append(rounded_difference(binary[0].values, ours[0].values, f"{what}, {TREC_EVAL}"))
    for peer in PEERS:
        ratio = samples[peer].cpu / ours.cpu
        target, met = "", ""
        if peer == "pytrec_eval":
            memory = (samples[peer].peak or 0.0) / (ours.peak or 1.0)
            target = "CPU ≥ 6×, memory ≥ 3×"
            met = f"CPU {verdict(ratio >= 6, times(ratio))}"
            met += f", memory {verdict(memory >= 3, times(memory))}"
        rows.append(Row(what, peer, samples[peer], times(ratio), target, met))
    return rows, [same_values(samples, what), *notes]


def parquet(setting: Setting) -> Part:
    """Evaluate Parquet to printed numbers in a new process."""
    what = "parquet, new process"
    tools = {
        "assay": partial(assay_cli, setting.large, "parquet"),
        "ranx": partial(script, "ranx", setting.large, "parquet"),
    }
    samples = interleaved(tools, setting.repeats)
    ratio = samples["ranx"].cpu / samples["assay"].cpu
    met = verdict(ratio >= 25, times(ratio))
    rows = [
        Row(what, "assay", samples["assay"], "1×"),
        Row(what, "ranx", samples["ranx"], times(ratio), "≥ 25×", met),
    ]
    return rows, [same_values(samples, what)]


def small(setting: Setting) -> Part:
    """Evaluate many short lists from text in a new process."""
    what = "small, new process"
    tools = {
        "assay": partial(assay_cli, setting.small, "trec"),
        "pytrec_eval": partial(script, "pytrec_eval", setting.small, "trec"),
    }
    samples = interleaved(tools, setting.repeats)
    share = samples["assay"].cpu / samples["pytrec_eval"].cpu
    met = verdict(share <= 0.5, times(share))
    rows = [
        Row(what, "assay", samples["assay"], "1×", "≤ 0.5× of pytrec_eval", met),
        Row(what, "pytrec_eval", samples["pytrec_eval"], times(1 / share)),
    ]
    return rows, [same_values(samples, what)]


def importing(setting: Setting) -> Part:
    """Time `import assay`; the interpreter alone and the imports of evaluate, for comparison."""
    codes = {
        "python -c pass": "pass",
        "import assay": "import assay",
        "assay.evaluate (lazy)": "import assay; assay.evaluate, assay.read_trec",
    }
    samples = interleaved(
        {name: partial(plain, code) for name, code in codes.items()}, 2 * setting.repeats + 1
    )
    ours = samples["import assay"].cpu
    rows = []
    for name, found in samples.items():
        judged = name == "import assay"
        target = "< 0.3 s" if judged else ""
        met = verdict(ours < 0.3, f"{ours:.3f} s") if judged else ""
        rows.append(Row("import, new process", name, found, times(found.cpu / ours), target, met))
    return rows, []


def linear(setting: Setting) -> Part:
    """Measure CPU from text on ten times the queries, raw and beyond the start-up."""
    folders = {"start-up": setting.tiny, "a tenth": setting.tenth, "whole": setting.large}
    tools = {name: partial(assay_cli, folder, "trec") for name, folder in folders.items()}
    samples = interleaved(tools, setting.repeats)
    start, tenth, whole = (samples[name].cpu for name in folders)
    raw = whole / tenth
    rows = [
        Row("linear, new process", f"assay, {folder.name}", samples[name]) for name, folder in folders.items()
    ]
    met = f"raw {verdict(raw <= 11, times(raw))}"
    if tenth > 1.02 * start:  # a tenth would be lost in the noise of the start-up
        beyond = (whole - start) / (tenth - start)
        met += f", beyond start-up {verdict(beyond <= 11, times(beyond))}"
    last = rows.pop()
    rows.append(Row(last.what, last.tool, last.samples, times(raw), "≤ 11× of a tenth", met))
    return rows, []


PARTS = {
    "arrays": arrays,
    "text": text,
    "parquet": parquet,
    "small": small,
    "import": importing,
    "linear": linear,
}
