"""Where `assay evaluate` writes bundles and rows per query, and how they are staged."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import polars as pl

from assay.cli.render.progress_bar import progress_bar
from assay.cli.system_inputs import own_name
from assay.errors import InputError, shown
from assay.evaluation.bundle.bundle_files import MASTER
from assay.evaluation.bundle.bundle_folder import refuse_existing, refuse_listed
from assay.evaluation.result import Result
from assay.files.staging import Staging, folded, refuse_shared


def bundle_targets(options: argparse.Namespace, names: Sequence[str] | None = None) -> list[Path]:
    """Return the folders of the bundles, checked before anything is read.

    `names` are those of the systems if they are not those of their files.

    Several systems get one folder each inside the output folder.
    """
    output: Path = options.output
    refuse_shared({"-o": output, "--per-query": options.per_query})
    if names is None:
        names = [own_name(path) for path in (options.predictions or options.runs)]
    if len(names) < 2:
        refuse_existing(output, overwrite=options.overwrite)
        return [output]
    compared = [folded(name) for name in names]
    twice = [name for name in names if compared.count(folded(name)) > 1]
    if twice:
        problem = f"several systems would be written to its folder {shown(twice[0])}"
        expected = "rename the inputs, or evaluate them one by one"
        raise InputError.of(str(output), problem, expected)
    if (output / MASTER).exists():
        problem = "is a bundle, and several systems were given"
        raise InputError.of(str(output), problem, "expected another folder")
    if not options.overwrite:
        refuse_existing(output, overwrite=False)
    targets = [output / name for name in names]
    for target in targets:
        refuse_existing(target, overwrite=options.overwrite)
    return targets


def stage_bundles(
    options: argparse.Namespace, results: list[Result], targets: Sequence[Path], staging: Staging
) -> None:
    """Write every bundle with its report to scratch space; a result is let go before its report."""
    from assay.evaluation.bundle.save import stage

    for target in targets:
        fresh = stage(results.pop(0), target, staging, overwrite=options.overwrite)
        if options.report:
            from assay.report.report_bundle import report_bundle
            from assay.report.report_folder import fill_report

            with progress_bar() as progress:
                below = options.suppress_below
                made = report_bundle(fresh)
                fill_report(made, fresh, progress=progress, suppress_below=below, target=target)


def stage_per_query(path: Path, results: Sequence[Result], staging: Staging) -> None:
    """Stage one row per query of all systems, in the format of the path."""
    refuse_listed(path)
    sources = [result.sources for result in results if result.sources is not None]
    if path.resolve() in {file.path.resolve() for each in sources for file in each.files}:
        raise InputError.of(str(path), "is an input", "expected another file")
    frames = [result.query_table for result in results]
    if len(results) > 1:
        frames = [
            frame.insert_column(0, pl.Series("system", [result.system] * frame.height))
            for frame, result in zip(frames, results, strict=True)
        ]
    whole = pl.concat(frames, how="diagonal")  # a system may lack measures that others have
    body = BytesIO()
    (whole.write_parquet if path.suffix == ".parquet" else whole.write_csv)(body)
    staging.file(path, body.getvalue())
