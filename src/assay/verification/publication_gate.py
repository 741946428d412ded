"""The publication gate: may this bundle be published? One list of checks with verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from assay.errors import AssayError, FileError
from assay.evaluation.bundle.bundle_cases import tune_of
from assay.evaluation.bundle.bundle_checks import check_tables
from assay.evaluation.bundle.bundle_files import MASTER, check_hashes, read_json, read_table
from assay.evaluation.bundle.load import result_of
from assay.evaluation.bundle.snapshot import unchanged
from assay.evaluation.progress import Progress
from assay.evaluation.result import Result
from assay.verification.audit.audit import audit
from assay.verification.consistency import consistency
from assay.verification.contract_standing import FALSE, USER
from assay.verification.publication_verdict import (
    FAIL,
    NOT_APPLICABLE,
    PASS,
    PublicationCheck,
    PublicationVerdict,
)
from assay.verification.recompute.number_findings import BUNDLE, Verification
from assay.verification.recompute.original_inputs import Originals, findings_of
from assay.verification.recompute.verify import verify
from assay.verification.report_files import report_faults, report_summary


def publication_gate(
    folder: str | Path,
    *,
    progress: Progress | None = None,
    verified: Verification | None = None,
    originals: Originals | None = None,
) -> PublicationVerdict:
    """Check whether a bundle may be published.

    Parameters
    ----------
    folder
        The bundle.
    progress
        Called with what is being done, how much of it is done, and the total.
    verified
        What `verify` returned for the same folder; without it, `verify` is run here.
    originals
        The inputs of the evaluation; the numbers are recomputed from them too.

    Returns
    -------
    PublicationVerdict
        Checks of hashes, recomputation, contract, consistency, leakage, thresholds and targets,
        each with its reason. `ok` is true if none failed.

    Raises
    ------
    InputError
        If the folder is not a bundle, or cannot be read.

    Examples
    --------
    >>> inputs = assay.example_path("predictions"), assay.example_path("corpus")
    >>> bundle = assay.evaluate(*inputs).save("judged")
    >>> verdict = assay.publication_gate(bundle)
    >>> verdict.ok, verdict.checks[0].name
    (False, 'hashes')

    """
    path = Path(folder)
    with unchanged(path):
        return _judged(path, progress, verified, originals)


def _judged(
    path: Path, progress: Progress | None, verified: Verification | None, originals: Originals | None
) -> PublicationVerdict:
    faults = check_hashes(path)
    result = result_of(read_json(path / MASTER), path)
    check_tables(result, path, repeats=True)
    checks = [_hashes([str(fault) for fault in faults])]
    made = verified
    try:
        made = verify(path, progress=progress) if made is None else made
    except FileError:  # a fault of the machine, not of the bundle
        raise
    except AssayError as error:
        checks.append(PublicationCheck("recomputation", FAIL, str(error).splitlines()[0]))
    if made is not None:
        if originals is not None:  # outside the try: a fault in them is not the bundle's
            made = replace(made, findings=(*made.findings, *findings_of(path, originals)))
        checks += [_recomputation(made), *_user_defined(made), _contract(made)]
    for check in CHECKS:
        checks += check(result, path)
    return PublicationVerdict(
        path.name,
        result.system,
        result.contract.id,
        tuple(checks),
        made.recomputed_from if made is not None else BUNDLE,
        made is not None and made.standing.kind == USER,
    )


def _hashes(faults: list[str]) -> PublicationCheck:
    if faults:
        return PublicationCheck("hashes", FAIL, "; ".join(faults[:3]))
    return PublicationCheck("hashes", PASS, "every file matches the manifest")


def _recomputation(made: Verification) -> PublicationCheck:
    names = ", ".join(finding.what for finding in made.failed[:3])
    verdict = FAIL if made.failed or made.outdated else PASS
    text = f"{made.summary}: {names}" if names else made.summary
    return PublicationCheck("recomputation", verdict, text)


def _user_defined(made: Verification) -> Iterator[PublicationCheck]:
    """Name the user-defined measures, if there are any."""
    if made.user_defined:
        names = ", ".join(made.user_defined)
        text = f"the second implementation cannot recompute {names}"
        yield PublicationCheck("user-defined measures", NOT_APPLICABLE, text)


def _contract(made: Verification) -> PublicationCheck:
    """Fail a false or outdated contract; a user-defined one passes and is named as such."""
    fails = made.standing.kind == FALSE or bool(made.standing.affected)
    return PublicationCheck("contract", FAIL if fails else PASS, made.standing.sentence)


def _consistency(result: Result, folder: Path) -> Iterator[PublicationCheck]:
    grades = read_table(folder / "gold.csv")["grade"].cast(pl.Float64)
    found = consistency(result, graded=bool((grades > 1).any()))
    for name, kinds in (("ranges", ("range",)), ("identities", ("identity", "definition"))):
        broken = [each.what for each in found if each.kind in kinds]
        if broken:
            yield PublicationCheck(name, FAIL, "; ".join(broken[:3]))
        else:
            yield PublicationCheck(name, PASS, f"{len(result.measures)} measures checked")


def _thresholds(result: Result, folder: Path) -> Iterator[PublicationCheck]:
    name = "TUNE-only thresholds"
    tune = tune_of(folder)
    if not result.thresholds:
        yield PublicationCheck(name, NOT_APPLICABLE, "no threshold was chosen")
    elif tune is None:
        yield PublicationCheck(name, FAIL, "thresholds were chosen, but TUNE queries are missing")
    else:
        queries = read_table(folder / "per_query.csv")
        shared = _shared(queries, read_table(folder / "tune.csv"))
        if shared:
            yield PublicationCheck(name, FAIL, f"{shared} posts are in TUNE and EVAL of the same fold")
        else:
            yield PublicationCheck(name, PASS, f"chosen on {len(tune):,} queries of other posts")
    marked = {each.rule for each in result.thresholds if each.deployment}
    name = "one deployment threshold"
    if not any("at=" in value.definition for value in result.measures):
        yield PublicationCheck(name, NOT_APPLICABLE, "no measure needs a threshold")
    elif result.thresholds and len(marked) != 1:
        yield PublicationCheck(name, FAIL, f"{len(marked)} rules are marked for deployment, not 1")
    else:
        yield PublicationCheck(name, PASS, f"it is {next(iter(marked), '0.5')}")


def _shared(queries: pl.DataFrame, tune: pl.DataFrame) -> int:
    """Count posts that are in both TUNE and EVAL, within the same fold if there are folds."""
    if "post_id" not in queries.columns:
        return 0
    on = ["post_id", *(["fold"] if {"fold"} <= set(queries.columns) & set(tune.columns) else [])]
    return queries.select(on).unique().join(tune.select(on).unique(), on=on).height


def _leakage(_: Result, folder: Path) -> Iterator[PublicationCheck]:
    try:
        report = audit(folder)
    except FileError:
        raise
    except AssayError as error:
        yield PublicationCheck("leakage", FAIL, str(error).splitlines()[0])
        return
    if report.leaks:
        names = "; ".join(f"{each.code} {each.title}" for each in report.leaks[:3])
        yield PublicationCheck("leakage", FAIL, names)
    else:
        clean = sum(each.verdict == "clean" for each in report.findings)
        text = f"{clean} checks of the tables found nothing"
        if report.flags:
            text += f"; flagged: {', '.join(f'{each.code} {each.title}' for each in report.flags)}"
        yield PublicationCheck("leakage", PASS, text)


def _protocols(result: Result, _: Path) -> Iterator[PublicationCheck]:
    populations = {value.population for value in result.measures}
    ranked = any(value.definition.startswith(("ndcg", "recall", "map", "mrr")) for value in result.measures)
    decided = any(value.name == "auroc" for value in result.measures)
    name = "both protocols"
    if not ranked or not decided:
        missing = "AUROC" if ranked else "nDCG, recall, MAP or MRR"
        yield PublicationCheck(name, NOT_APPLICABLE, f"the bundle reports no {missing}")
    elif {"evidence", "all"} <= populations:
        yield PublicationCheck(name, PASS, "rankings on evidence queries, decisions on all queries")
    else:
        yield PublicationCheck(name, FAIL, f"only on: {', '.join(sorted(populations))}")


def _counts(result: Result, _: Path) -> Iterator[PublicationCheck]:
    declared = result.contract.expected
    name = "expected counts"
    if not declared:
        yield PublicationCheck(name, NOT_APPLICABLE, "the contract declares none")
    elif result.unexpected:
        wrong = [f"{each}: {count:,} expected" for each, count in result.unexpected.items()]
        yield PublicationCheck(name, FAIL, "; ".join(wrong))
    else:
        yield PublicationCheck(name, PASS, ", ".join(f"{each} {count:,}" for each, count in declared.items()))


def _pitfalls(result: Result, _: Path) -> Iterator[PublicationCheck]:
    names = {value.name: value for value in result.measures}
    bare = [
        value.name
        for value in result.measures
        if value.population == "all"
        and result.counts.evidence < result.counts.queries
        and value.definition.partition("@")[0].partition(":")[0] in ("recall", "ndcg", "mrr", "map")
        and not value.name.startswith("all_queries/")
    ]
    yield PublicationCheck(
        "pitfall: ranking over queries without evidence",
        FAIL if bare else PASS,
        f"{', '.join(bare[:3])} average over queries that have no evidence to find"
        if bare
        else "rankings are averaged over queries with evidence, or their name says otherwise",
    )
    name = "pitfall: the baseline of AUPRC"
    rate = result.counts.evidence / max(1, result.counts.queries)
    if "auprc" in names:
        above = names["auprc"].value - rate
        text = f"AUPRC is {above:+.3f} from its baseline, the positive rate {rate:.3f} (not 0.5)"
        yield PublicationCheck(name, PASS, text)
    else:
        yield PublicationCheck(name, NOT_APPLICABLE, "AUPRC is not reported")
    name = "pitfall: fixed K for a dynamic-K system"
    if not result.selected_k:
        yield PublicationCheck(name, NOT_APPLICABLE, "the system does not select K")
    elif any(value.definition.startswith("evidence_recall") for value in result.measures):
        yield PublicationCheck(name, PASS, "evidence recall at the selected K is reported")
    else:
        yield PublicationCheck(name, FAIL, "the system selects K, but only recall at fixed K is reported")


def _report(_: Result, folder: Path) -> Iterator[PublicationCheck]:
    name = "figures and tables"
    faults = report_faults(folder)
    if faults:
        yield PublicationCheck(name, FAIL, "; ".join(faults[:3]))
    else:
        yield PublicationCheck(name, PASS, report_summary(folder))


def _targets(result: Result, _: Path) -> Iterator[PublicationCheck]:
    targets = [(value, value.target) for value in result.measures if value.target is not None]
    wanted, reported = result.contract.targets, {value.name for value in result.measures}
    for name in (name for name in wanted if name not in reported):
        reason = result.absent.get(name, "not reported in this bundle")
        yield PublicationCheck(f"target: {name}", NOT_APPLICABLE, reason)
    for value, target in targets:
        text = f"{value.value:.4f}, target {target.text}"
        verdict = {True: PASS, False: FAIL, None: NOT_APPLICABLE}[target.met]
        yield PublicationCheck(f"target: {value.name}", verdict, target.reason or text)
    if wanted and not targets and reported & set(wanted):
        text = "the contract was not chosen for these data: its targets are about sentences of posts"
        yield PublicationCheck("targets", NOT_APPLICABLE, text)
    if not targets and not wanted:
        yield PublicationCheck("targets", NOT_APPLICABLE, "the contract sets no targets")


Step = Callable[[Result, Path], Iterator[PublicationCheck]]
CHECKS: tuple[Step, ...] = (
    _consistency,
    _leakage,
    _thresholds,
    _protocols,
    _counts,
    _pitfalls,
    _report,
    _targets,
)
