"""`assay gate`: may a bundle be published? Or, with `--against`: is it worse than an older one?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli import shared_options as shared
from assay.cli.options import INPUT, OUTPUT, REPEATED, define_command, option
from assay.cli.render.output import print_json, print_json_text, show
from assay.cli.render.progress_bar import progress_bar
from assay.cli.system_inputs import ORIGINALS, read_originals, refuse_inputs
from assay.cli.unused_options import refuse_unused
from assay.errors import InputError, shown

if TYPE_CHECKING:
    from assay.verification.regression.regression_verdict import RegressionVerdict

PASS, FAIL = "pass", "fail"
AGAINST = "comparison with an older bundle"
OPTIONS = {
    INPUT: (shared.BUNDLE,),
    f"{AGAINST}\n"
    "Both must have the same contract, queries and gold. Exit code 0 for better and\n"
    "not worse, 1 for worse and undecided.": (
        option("--against BUNDLE", "compare with this bundle, instead of deciding on publication"),
        option(
            "--allow NAME=CHANGE",
            "how much worse a measure may get, such as ndcg@10=-0.01 or ece=+0.01; repeatable, or several "
            "with commas; only these measures and those of -m are compared",
            **REPEATED,
        ),
        shared.MEASURES.but(help="compare these measures too, separated by commas, and allow no loss"),
        option("--alpha A", "one-sided level of each verdict", type=float, default=0.05),
        option("--undecided pass|fail", "exit code 0 or 1 if the data cannot decide", default=FAIL),
        option("--no-baseline pass|fail", "exit code 0 or 2 if the other bundle is missing", default=FAIL),
        option("--resamples N", "resamples of the posts", default=10_000),
        shared.SEED,
        option("--summary FILE", "append Markdown to this file, such as $GITHUB_STEP_SUMMARY"),
    ),
    **ORIGINALS,
    OUTPUT: (option("--junit FILE", "write the checks as JUnit XML, for CI systems"), shared.JSON),
}
EXAMPLES = (
    "assay gate bundle/",
    "assay gate bundle/ --qrels qrels.txt --run run.txt --junit gate.xml",
    "assay gate new/ --against old/ --allow ndcg@10=-0.01,auroc=-0.02",
)
HINT = "Undecided: add posts, allow more with --allow NAME=CHANGE, or accept it with --undecided pass."
ONLY_AGAINST = ("allow", "measures", "alpha", "undecided", "no_baseline", "resamples", "seed", "summary")
ONLY_PUBLICATION = tuple(
    each.settings.get("dest", each.flags[-1].removeprefix("--").replace("-", "_"))
    for listed in ORIGINALS.values()
    for each in listed
)


def define(command: argparse.ArgumentParser) -> None:
    """Describe the command."""
    usage = ("BUNDLE [options]", "BUNDLE --against BUNDLE [options]")
    define_command(command, run, OPTIONS, usage=usage, examples=EXAMPLES)


def run(options: argparse.Namespace) -> None:
    """Exit with 1 where a check fails, or where the bundle is worse than the one it is compared with."""
    refuse_unused(
        options,
        needs=dict.fromkeys(ONLY_AGAINST, ("against",)),
        excludes=dict.fromkeys(ONLY_PUBLICATION, ("against",)),
    )
    _refuse_own_files(options)
    refuse_inputs({"--junit": options.junit, "--summary": options.summary}, options)
    passed = _publication(options) if options.against is None else _regression(options)
    if not passed:
        sys.exit(1)


def _publication(options: argparse.Namespace) -> bool:
    """Return whether the bundle may be published; the verdict goes to `gate.json`, outside the manifest."""
    from assay.cli.ending import finish
    from assay.files.staging import Staging
    from assay.report.report_folder import stage_verdict
    from assay.verification.display.verification_tables import junit, verdict_parts
    from assay.verification.publication_gate import publication_gate

    originals = read_originals(options)
    with progress_bar() as progress:
        made = publication_gate(options.bundle, progress=progress, originals=originals)
    with Staging() as staging:
        body = stage_verdict(options.bundle, made.to_dict(), staging)
        if options.junit is not None:
            staging.file(options.junit, junit(made))
        finish(staging, lambda: print_json_text(body) if options.as_json else show(*verdict_parts(made)))
    return made.ok


def _regression(options: argparse.Namespace) -> bool:
    """Return whether the bundle is not worse than the older one."""
    from assay.verification.display import regression_tables as tables
    from assay.verification.regression.regression_gate import regression_gate

    for flag in ("undecided", "no_baseline"):
        if getattr(options, flag) not in (PASS, FAIL):
            problem = f"is {shown(getattr(options, flag))}"
            raise InputError.of(f"--{flag.replace('_', '-')}", problem, "expected pass or fail")
    allow = _allowed(options.allow)
    if options.no_baseline == PASS and _is_missing(options.against):
        names = options.bundle.name, str(options.against)
        _finish(options, tables.no_baseline_junit(*names), tables.no_baseline_markdown(*names), None)
        return True
    made = regression_gate(
        options.bundle,
        options.against,
        allow=allow,
        measures=options.measures or None,
        alpha=options.alpha,
        resamples=options.resamples,
        seed=options.seed,
    )
    junit = tables.regression_junit(made, undecided=options.undecided)
    _finish(options, junit, tables.regression_markdown(made), made)
    return made.ok or (made.verdict == "undecided" and options.undecided == "pass")


def _finish(options: argparse.Namespace, junit: str, markdown: str, made: RegressionVerdict | None) -> None:
    """Print, write the JUnit file, and append to the summary, which other steps share."""
    from assay.cli.ending import finish
    from assay.files.staging import Staging
    from assay.verification.display.regression_tables import no_baseline_sentence, regression_parts

    def printed() -> None:
        if made is not None:
            hint = [HINT] if made.verdict == "undecided" else []
            print_json(made.to_dict()) if options.as_json else show(*regression_parts(made), *hint)
        elif options.as_json:
            document = {"schema": "assay/regression-gate/1", "new": options.bundle.name}
            print_json({**document, "old": None, "verdict": None})
        else:
            show(no_baseline_sentence(str(options.bundle), str(options.against)))

    with Staging() as staging:
        if options.junit is not None:
            staging.file(options.junit, junit)
        if options.summary is not None:
            staging.append(options.summary, markdown)
        finish(staging, printed)


def _is_missing(folder: Path) -> bool:
    """Return whether there is nothing: a folder with anything in it is a bundle, or a fault."""
    return not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))


def _allowed(texts: Sequence[str]) -> dict[str, str]:
    """Return the margins by measure. A definition id contains commas, so it is given alone."""
    made: dict[str, str] = {}
    for text in texts:
        for each in [text] if ":" in text else text.split(","):
            name, equals, change = each.strip().rpartition("=")
            if not equals or not name or not change:
                expected = "expected NAME=CHANGE, such as ndcg@10=-0.01"
                raise InputError.of("--allow", f"is {shown(each)}", expected)
            if made.setdefault(name, change) != change:
                problem = f"{name} is {made[name]} and {change}"
                raise InputError.of("--allow", problem, "expected one margin per measure")
    return made


def _refuse_own_files(options: argparse.Namespace) -> None:
    """Neither output may replace a file of a bundle or of its report, or be the other."""
    from assay.evaluation.bundle.bundle_files import GATE, MANIFEST, REPORT, listed_files
    from assay.evaluation.bundle.bundle_folder import refuse_listed
    from assay.files.staging import refuse_shared
    from assay.report.report_folder import PAGE

    names = [GATE, PAGE, MANIFEST, REPORT, *listed_files(options.bundle)]
    folders = [options.bundle, *([options.against] if options.against else [])]
    for path in [folder / name for folder in folders for name in names]:
        refuse_shared({str(path): path, "--junit": options.junit, "--summary": options.summary})
    for output in filter(None, (options.junit, options.summary)):
        refuse_listed(output)
