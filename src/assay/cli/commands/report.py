"""`assay report`: figures, tables and a page from bundles."""

from __future__ import annotations

import argparse
import webbrowser

from assay.cli.options import INPUT, OUTPUT, define_command, from_one, option
from assay.cli.render.output import show
from assay.cli.shared_options import SUPPRESS
from assay.errors import InputError

OPTIONS = {
    INPUT: (
        option("bundles BUNDLE", "bundle folders; several are compared on one page, with -o", nargs="+"),
        option(
            "--with-text CORPUS",
            "include the sentences of this corpus; without it the page contains no post text",
        ),
        SUPPRESS.but(type=from_one("--suppress-below")),
    ),
    OUTPUT: (
        option(
            "-o --output FILE", "write only the page, to this file (default: everything, inside the bundle)"
        ),
        option("--open", "open the page in a browser", dest="open_page"),
    ),
}
EXAMPLES = ("assay report bundle/ --open", "assay report old/ new/ -o comparison.html")


def define(command: argparse.ArgumentParser) -> None:
    """Describe the command."""
    usage = ("BUNDLE [options]", "BUNDLE BUNDLE [...] -o FILE [options]")
    define_command(command, run, OPTIONS, usage=usage, examples=EXAMPLES)


def run(options: argparse.Namespace) -> None:
    """Write into the one bundle, or one page for several bundles."""
    from assay.cli.ending import finish
    from assay.files.staging import Staging
    from assay.report.figures.figure_files import no_figures
    from assay.report.report_folder import write_page, write_report

    bundles, texts = options.bundles, options.with_text
    if options.suppress_below is not None and texts is not None:
        problem = "--suppress-below with --with-text"
        raise InputError.of("report", problem, "expected one of them: the page lists no queries")
    if options.output is None and len(bundles) > 1:
        problem = f"{len(bundles)} bundles and no file for the page that compares them"
        raise InputError.of("report", problem, "expected -o FILE")
    with Staging() as staging:
        if options.output is not None:
            target = write_page(
                bundles,
                options.output,
                with_text=texts,
                suppress_below=options.suppress_below,
                staging=staging,
            )
            line = f"Page: {target}"
        else:
            target = write_report(
                bundles[0], with_text=texts, suppress_below=options.suppress_below, staging=staging
            )
            why = no_figures()
            beside = f"tables/ next to it; figures: {why}" if why else "tables/ and figures/ next to it"
            line = f"Report: {target}, with {beside}"
        finish(staging, lambda: show(line))
    if options.open_page:
        webbrowser.open(target.resolve().as_uri())
