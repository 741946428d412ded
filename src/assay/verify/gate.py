"""The publication gate: one table of what holds, what does not, and what does not apply."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from assay.errors import AssayError, FileError
from assay.evaluation.bundle.cases import tune_of
from assay.evaluation.bundle.checked import check_tables
from assay.evaluation.bundle.read import MASTER, check_hashes, read_json, read_table, result_of
from assay.evaluation.bundle.snapshot import unchanged
from assay.evaluation.progress import Progress
from assay.evaluation.result import Result
from assay.verify.consistency import consistency
from assay.verify.findings import BUNDLE, FROM, Verification, off_by
from assay.verify.inputs import Originals, findings_of
from assay.verify.recompute import verify
from assay.verify.reported import report_faults, report_summary
from assay.verify.standing import FALSE, USER

PASS, FAIL, NOT_APPLICABLE = "pass", "fail", "not applicable"


@dataclass(frozen=True, slots=True)
class Check:
    """One question of the gate, its answer, and why."""

    name: str
    verdict: str  # pass, fail, not applicable
    reason: str


@dataclass(frozen=True, slots=True)
class Gate:
    """All checks of one bundle."""

    bundle: str
    system: str
    contract: str
    checks: tuple[Check, ...]
    recomputed_from: str = BUNDLE  # inputs or bundle
    users: bool = False  # whether the contract is a user's

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return all(check.verdict != FAIL for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: what `gate.json` holds."""
        return {
            "schema": "assay/gate/1",
            "bundle": self.bundle,
            "system": self.system,
            "contract": self.contract,
            "users_contract": self.users,
            "recomputed_from": self.recomputed_from,
            "passed": self.passed,
            "checks": [asdict(check) for check in self.checks],
        }


def publication_gate(
    folder: str | Path,
    progress: Progress | None = None,
    verified: Verification | None = None,
    originals: Originals | None = None,
) -> Gate:
    """Judge a bundle: hashes, recomputation, contract, consistency, leakage, thresholds, targets.

    With `originals` the numbers are recomputed from the original inputs, too. `verified` is what
    `verify` has just found of the same folder; without it, it is asked here.
    """
    path = Path(folder)
    with unchanged(path):
        return _judged(path, progress, verified, originals)


def _judged(
    path: Path,
    progress: Progress | None,
    verified: Verification | None,
    originals: Originals | None,
) -> Gate:
    faults = check_hashes(path)
    result = result_of(read_json(path / MASTER), path)
    check_tables(result, path, repeats=True)
    checks = [_hashes([str(fault) for fault in faults])]
    made = verified
    try:
        made = made or verify(path, progress=progress)
    except FileError:  # says nothing about the bundle
        raise
    except AssayError as error:
        checks.append(Check("recomputation", FAIL, str(error).splitlines()[0]))
    if made is not None:
        if originals is not None:  # what is wrong with them is no fault of the bundle
            made = replace(made, findings=(*made.findings, *findings_of(path, originals)))
        checks += [_recomputation(made), _contract(made)]
    for check in CHECKS:
        checks += check(result, path)
    return Gate(
        path.name,
        result.system,
        result.contract,
        tuple(checks),
        made.recomputed_from if made is not None else BUNDLE,
        made is not None and made.contract.kind == USER,
    )


def _hashes(faults: list[str]) -> Check:
    if faults:
        return Check("hashes", FAIL, "; ".join(faults[:3]))
    return Check("hashes", PASS, "every file is what the manifest lists")


def _recomputation(made: Verification) -> Check:
    where = FROM[made.recomputed_from]
    if made.failed:
        names = ", ".join(finding.what for finding in made.failed[:3])
        text = f"{len(made.failed)} of {made.compared} numbers, {where}, do not agree: {names}"
        return Check("recomputation", FAIL, text)
    if made.outdated:
        text = f"{len(made.outdated)} numbers have values from before a correction; the rest agree"
        return Check("recomputation", FAIL, text)
    text = f"{made.compared:,} numbers {where}, none off by more than {off_by(made.largest)}"
    return Check("recomputation", PASS, text)


def _contract(made: Verification) -> Check:
    """A user's contract passes and is shown as one; a false or outdated one does not."""
    fails = made.contract.kind == FALSE or bool(made.contract.affected)
    return Check("contract", FAIL if fails else PASS, made.contract.sentence)


def _consistency(result: Result, folder: Path) -> Iterator[Check]:
    grades = read_table(folder / "gold.csv")["grade"].cast(pl.Float64)
    found = consistency(result, graded=bool((grades > 1).any()))
    for name, kinds in (("ranges", ("range",)), ("identities", ("identity", "definition"))):
        broken = [each.what for each in found if each.kind in kinds]
        if broken:
            yield Check(name, FAIL, "; ".join(broken[:3]))
        else:
            yield Check(name, PASS, f"{len(result.values)} measures looked at")


def _thresholds(result: Result, folder: Path) -> Iterator[Check]:
    name = "TUNE-only thresholds"
    tune = tune_of(folder)
    if not result.thresholds:
        yield Check(name, NOT_APPLICABLE, "no threshold was chosen")
    elif tune is None:
        yield Check(name, FAIL, "thresholds were chosen, but the bundle has no TUNE queries")
    else:
        queries = read_table(folder / "per_query.csv")
        shared = _shared(queries, read_table(folder / "tune.csv"))
        if shared:
            yield Check(name, FAIL, f"{shared} posts are TUNE and EVAL of the same fold")
        else:
            yield Check(name, PASS, f"chosen on {len(tune):,} queries of other posts")
    marked = {each.rule for each in result.thresholds if each.deployment}
    name = "one deployment threshold"
    if not any("at=" in value.definition for value in result):
        yield Check(name, NOT_APPLICABLE, "no measure needs a threshold")
    elif result.thresholds and len(marked) != 1:
        yield Check(name, FAIL, f"{len(marked)} of the thresholds are marked as the deployment one")
    else:
        yield Check(name, PASS, f"it is {next(iter(marked), '0.5')}")


def _shared(queries: pl.DataFrame, tune: pl.DataFrame) -> int:
    """Posts that are TUNE and EVAL at once, within a fold where there are folds."""
    if "post_id" not in queries.columns:
        return 0
    on = ["post_id", *(["fold"] if {"fold"} <= set(queries.columns) & set(tune.columns) else [])]
    return queries.select(on).unique().join(tune.select(on).unique(), on=on).height


def _leakage(_: Result, folder: Path) -> Iterator[Check]:
    from assay.verify.audit.api import audit  # noqa: PLC0415 # a library of its own, loaded when met

    try:
        report = audit(folder)
    except FileError:
        raise
    except AssayError as error:
        yield Check("leakage", FAIL, str(error).splitlines()[0])
        return
    if report.leaks:
        names = "; ".join(f"{each.code} {each.title}" for each in report.leaks[:3])
        yield Check("leakage", FAIL, names)
    else:
        looked = sum(each.verdict == "clean" for each in report.findings)
        text = f"{looked} checks of the tables found nothing"
        if report.flags:
            text += f"; flagged: {', '.join(f'{each.code} {each.title}' for each in report.flags)}"
        yield Check("leakage", PASS, text)


def _protocols(result: Result, _: Path) -> Iterator[Check]:
    populations = {value.population for value in result}
    ranked = any(value.definition.startswith(("ndcg", "recall", "map", "mrr")) for value in result)
    decided = any(value.name == "auroc" for value in result)
    name = "both protocols"
    if not ranked or not decided:
        missing = "rankings" if not ranked else "decisions"
        yield Check(name, NOT_APPLICABLE, f"the system gave no {missing}")
    elif {"evidence", "all"} <= populations:
        yield Check(name, PASS, "rankings on queries with evidence, decisions on all queries")
    else:
        yield Check(name, FAIL, f"only {', '.join(sorted(populations))}")


def _counts(result: Result, _: Path) -> Iterator[Check]:
    declared = {} if result.rules is None else result.rules.expected
    name = "expected counts"
    if not declared:
        yield Check(name, NOT_APPLICABLE, "the contract declares none")
    elif result.unexpected:
        wrong = [f"{each}: {count:,} expected" for each, count in result.unexpected.items()]
        yield Check(name, FAIL, "; ".join(wrong))
    else:
        yield Check(name, PASS, ", ".join(f"{each} {count:,}" for each, count in declared.items()))


def _pitfalls(result: Result, _: Path) -> Iterator[Check]:
    names = {value.name: value for value in result}
    bare = [
        value.name
        for value in result
        if value.population == "all"
        and value.definition.partition("@")[0].partition(":")[0] in ("recall", "ndcg", "mrr", "map")
        and not value.name.startswith("all_queries/")
    ]
    yield Check(
        "pitfall: ranking over queries without evidence",
        FAIL if bare else PASS,
        f"{', '.join(bare[:3])} count queries that have nothing to find"
        if bare
        else "rankings are averaged over queries with evidence, or say so in their name",
    )
    rate = result.counts.evidence / max(1, result.counts.queries)
    if "auprc" in names:
        above = names["auprc"].value - rate
        text = f"AUPRC is {above:+.3f} from its baseline, the positive rate {rate:.3f} (not 0.5)"
        yield Check("pitfall: the baseline of AUPRC", PASS, text)
    else:
        yield Check("pitfall: the baseline of AUPRC", NOT_APPLICABLE, "there is no AUPRC")
    name = "pitfall: fixed K for a dynamic-K system"
    if not result.selected_k:
        yield Check(name, NOT_APPLICABLE, "the system selects no K")
    elif any(value.definition.startswith("evidence_recall") for value in result):
        yield Check(name, PASS, "evidence recall at the selected K is there")
    else:
        yield Check(name, FAIL, "K is selected, but only recall at fixed cut-offs is reported")


def _report(_: Result, folder: Path) -> Iterator[Check]:
    name = "figures and tables"
    faults = report_faults(folder)
    if faults:
        yield Check(name, FAIL, "; ".join(faults[:3]))
    else:
        yield Check(name, PASS, report_summary(folder))


def _targets(result: Result, _: Path) -> Iterator[Check]:
    held = [value for value in result if value.target is not None]
    wanted = {} if result.rules is None else result.rules.targets
    reported = {value.name for value in result}
    for name in wanted:
        if name in result.absent:
            yield Check(f"target: {name}", NOT_APPLICABLE, result.absent[name])
        elif name not in reported:
            yield Check(
                f"target: {name}", NOT_APPLICABLE, "the bundle does not report this measure"
            )
    for value in held:
        target = value.target
        assert target is not None, "only those with a target are held"
        text = f"{value.value:.4f}, target {target.text}"
        verdict = {True: PASS, False: FAIL, None: NOT_APPLICABLE}[target.met]
        yield Check(f"target: {value.name}", verdict, target.reason or text)
    if not held and not wanted:
        yield Check("targets", NOT_APPLICABLE, "the contract sets none")


Step = Callable[[Result, Path], Iterator[Check]]
CHECKS: tuple[Step, ...] = (
    _consistency, _leakage, _thresholds, _protocols, _counts, _pitfalls, _report, _targets,
)  # fmt: skip
