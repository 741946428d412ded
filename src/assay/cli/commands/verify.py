"""`assay verify`: recompute a bundle, or a per-query table, with both implementations."""

from __future__ import annotations

import argparse
import sys

from assay.cli import shared_options as shared
from assay.cli.options import INPUT, OUTPUT, STATISTICS, define_command, option
from assay.cli.render.output import print_json, show
from assay.cli.render.progress_bar import progress_bar
from assay.cli.system_inputs import ORIGINALS, read_originals
from assay.cli.unused_options import refuse_beside, refuse_unused
from assay.errors import InputError

TABLE = {
    "per-query tables\n"
    "Recompute results from a table with one row per query: ids, gold and ranked\n"
    "ids (joined by | or JSON lists), probability, label, state, K.": (
        option("--per-query FILE", "table with one row per query (CSV, JSON lines or Parquet)"),
        option("--claims FILE", "values to compare with (JSON, Markdown, CSV, LaTeX)"),
        option("--id COLUMN", "query id column"),
        option("--gold COLUMN", "gold ids column"),
        option("--ranked COLUMN", "ranked ids column, best first"),
        option("--state COLUMN", "column of states NEG, UNCERTAIN and POS"),
        option("--selected-k COLUMN", "column of the number of returned ids"),
    )
}
ROLES = ("id", "gold", "ranked", "state", "selected_k", "prob", "label", "group", "fold")
OPTIONS = {
    INPUT: (shared.BUNDLE.but(nargs="?"),),
    **TABLE,
    **ORIGINALS,
    STATISTICS: (option("--draws N", "bootstrap resamples that both implementations compute", default=200),),
    OUTPUT: (option("--all", "print every number", dest="everything"), shared.JSON),
}
EXAMPLES = (
    "assay verify bundle/",
    "assay verify --per-query results.csv --claims table.md",
    "assay verify bundle/ --predictions predictions/ --corpus corpus/",
)


def define(command: argparse.ArgumentParser) -> None:
    """Describe the command."""
    define_command(
        command,
        run,
        OPTIONS,
        usage=("BUNDLE [options]", "--per-query FILE [--claims FILE] [options]"),
        examples=EXAMPLES,
    )


def run(options: argparse.Namespace) -> None:
    """Exit with 1 where a number or a file is not what the bundle says."""
    if options.per_query is not None:
        _verify_table(options)
        return
    if options.bundle is None:
        raise InputError.of("verify", "nothing to verify was given", "expected BUNDLE or --per-query FILE")
    refuse_unused(options, dict.fromkeys(("claims", *ROLES[:5]), ("per_query",)))
    from assay.verification.display.verification_tables import verification_parts
    from assay.verification.recompute.verify import verify

    originals = read_originals(options)
    if options.draws < 1:
        raise InputError.of("--draws", f"is {options.draws}", "expected a whole number from 1")
    with progress_bar() as progress:
        made = verify(options.bundle, draws=options.draws, progress=progress, originals=originals)
    if options.as_json:
        print_json(made.to_dict())
    else:
        show(*verification_parts(made, everything=options.everything))
    if not made.ok:
        sys.exit(1)


def _verify_table(options: argparse.Namespace) -> None:
    """Exit with 1 where a claim matches nothing, or the two implementations differ."""
    from assay.verification.claims.verify_claims import verify_claims
    from assay.verification.display.claim_tables import claim_parts

    refuse_beside(options, "per_query", ("as_json", "everything", "claims", "contract", "system", *ROLES))
    columns = {role: getattr(options, role) for role in ROLES if role in options.typed}
    made = verify_claims(
        options.per_query,
        options.claims,
        columns=columns,
        contract=options.contract or "assay/1",
        system=options.system,
    )
    if options.as_json:
        print_json(made.to_dict())
    else:
        show(*claim_parts(made, everything=options.everything))
    if not made.ok:
        sys.exit(1)
