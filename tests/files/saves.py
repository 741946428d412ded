"""Two threads and two processes save to one place, again and again.

By hand: `python -m tests.files.saves 200`. In the suite: a few rounds of the same.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections import Counter
from importlib.resources import files
from pathlib import Path

import assay
from assay.contracts.contract_toml import parse
from assay.evaluation.bundle.bundle_files import check_hashes

FEW = parse('id = "few"\nk = [3]\n[measures]\nr = "recall@3"\n', "few.toml")
WORKER = "tests.files.saves"


def systems() -> list[assay.Result]:
    """Four results that differ in their system, their values and their queries."""
    example = files("assay.example")
    lines = (example / "run.txt").read_text().splitlines()
    made = []
    for at in range(4):
        rows = [line.split() for line in lines]
        run: dict[str, list[tuple[str, float]]] = {}
        for row in rows:
            run.setdefault(row[0], []).append((row[2], float(row[4]) * (-1) ** at))
        kept = dict(list(run.items())[: len(run) - at])
        judged = assay.read_trec(str(example / "qrels.txt"), kept, name=f"system {at}")
        made.append(assay.evaluate(judged, contract=FEW))
    return made


def save(result: assay.Result, target: Path, overwrite: bool) -> str:
    """What became of one save: saved, or the error that its writer got."""
    try:
        result.save(target, overwrite=overwrite)
    except assay.InputError as error:
        return str(error)
    return "saved"


def two_threads(results: list[assay.Result], target: Path, overwrite: bool) -> list[str]:
    """Save from two threads of this process, which start together."""
    ready, told = threading.Barrier(2), ["", ""]

    def work(at: int) -> None:
        ready.wait()
        told[at] = save(results[at], target, overwrite)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


class Other:
    """A process that saves one of the systems whenever it is told to."""

    def __init__(self, number: int, target: Path, overwrite: bool) -> None:
        command = [sys.executable, "-m", WORKER, "worker", str(number), str(target), str(overwrite)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.told, self.said = self.process.stdin, self.process.stdout
        assert self.said.readline() == "ready\n"

    def start(self) -> None:
        print("save", file=self.told, flush=True)

    def end(self) -> str:
        return self.said.readline().rstrip("\n")

    def close(self) -> None:
        self.told.close()
        self.process.wait()
        self.said.close()


def worker(number: str, target: str, overwrite: str) -> None:
    result = systems()[int(number)]
    print("ready", flush=True)
    for _ in sys.stdin:
        print(save(result, Path(target), overwrite == "True").replace("\n", " "), flush=True)


def check(target: Path, told: list[str], names: list[str], *, overwrite: bool) -> str:
    """One whole bundle of one of the writers; every writer who did not save has an error."""
    assert check_hashes(target) == []
    loaded = assay.load(target)
    assert loaded.system in names
    values = loaded.per_query()["r"].drop_nulls()
    assert abs(float(values.mean()) - loaded["r"].value) < 1e-9  # type: ignore[arg-type] # a mean of numbers
    assert [path.name for path in target.parent.iterdir()] == [target.name]
    failed = [text for text in told if text != "saved"]
    assert len(failed) == (0 if overwrite else len(told) - 1), told
    assert all("exists; choose a new folder, or `overwrite=True`" in text for text in failed), failed
    return loaded.system


def contest(rounds: int, *, overwrite: bool) -> Counter[str]:
    """How often each writer's bundle was the one that stayed."""
    results = systems()
    names = [result.system for result in results]
    stayed: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "home" / "bundle"
        target.parent.mkdir()
        others = [Other(number, target, overwrite) for number in (2, 3)]
        try:
            for _ in range(rounds):
                for other in others:
                    other.start()
                told = two_threads(results, target, overwrite)
                told += [other.end() for other in others]
                stayed[check(target, told, names, overwrite=overwrite)] += 1
                if not overwrite:
                    target.rename(Path(folder) / f"done-{stayed.total()}")
        finally:
            for other in others:
                other.close()
    return stayed


if __name__ == "__main__":
    if sys.argv[1] == "worker":
        worker(*sys.argv[2:])
    else:
        for overwrite in (False, True):
            print(f"overwrite={overwrite}:", dict(contest(int(sys.argv[1]), overwrite=overwrite)))
