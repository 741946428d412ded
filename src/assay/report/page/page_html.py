"""The page as one text: template, style, script and data, under a strict CSP."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files

from assay.display.table_formats import visible
from assay.evaluation.display.paper_tables import subset
from assay.evaluation.display.paper_tables import texts as value_texts
from assay.report.page.compared_runs import compared_runs
from assay.report.page.packed_columns import packed
from assay.report.page.page_document import headlines, packed_run
from assay.report.page.post_text import Texts
from assay.report.page.small_cells import SmallCells
from assay.report.page.suppressed_counts import check_limit
from assay.report.report_bundle import Bundle
from assay.version import VERSION

STYLES = "colours layout controls tables figures decisions bars queries phone print"
SCRIPTS = (
    "core/elements core/numbers core/tables core/definitions core/address core/data core/state_counts "
    "charts/drawing charts/export charts/chart charts/curves charts/figures charts/dots charts/strips "
    "sections/deployment sections/quality sections/failures sections/threshold_results sections/thresholds "
    "sections/figures sections/criteria sections/query_dialog sections/queries sections/measures "
    "sections/trust sections/comparison main"
)
"""In this order: constants are defined before they are used."""


def page(bundles: Sequence[Bundle], texts: Texts | None = None, suppress_below: int | None = None) -> str:
    """Return one HTML document for one or more runs; it opens from disk and loads nothing.

    With `suppress_below` counts below it are hidden, and the page has no queries.
    """
    check_limit(suppress_below)
    style, script = page_style(), page_script()
    first = bundles[0]
    title = visible(first.name) if len(bundles) == 1 else f"{len(bundles)} runs compared"
    counts = first.result.counts
    small = {each: SmallCells(each, suppress_below) for each in bundles} if suppress_below else {}
    told = f"{counts.evidence:,}" if not small or small[first].evidence_told else "some"
    lede = (
        f"under contract {first.result.contract.id}: {counts.queries:,} queries, "
        f"{told} with evidence, {counts.candidates:,} candidates."
    )
    blocks = [_block("run", packed_run(each, texts, suppress_below)) for each in bundles]
    filled = {
        "csp": escape(policy(style, script)),
        "version": escape(VERSION),
        "title": escape(title),
        "lede": escape(visible(lede)),
        "summary": "".join(_summary(each, small.get(each)) for each in bundles),
        "manifest": escape(", ".join(each.manifest_hash[:16] for each in bundles)),
        "style": style,
        "runs": "\n".join(blocks),
        "comparison": "" if len(bundles) == 1 else _compared(bundles, small),
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: filled[found[1]], asset("page.html"))


def _compared(bundles: Sequence[Bundle], small: Mapping[Bundle, SmallCells]) -> str:
    made = compared_runs(bundles)
    if small:  # queries won, tied and lost are small counts
        hidden = {"wins": None, "ties": None, "losses": None}
        secret = frozenset[str]().union(*(each.measures for each in small.values()))
        made["differences"] = [
            {name: round(value, 4) if isinstance(value, float) else value for name, value in each.items()}
            | hidden
            for each in made["differences"]
            if each["name"] not in secret
        ]
    return _block("comparison", packed(made, {}))


def _block(kind: str, data: str) -> str:
    return f'<script class="{kind}" type="application/octet-stream">{data}</script>'


def asset(name: str) -> str:
    """Return the text of a file in the package."""
    return files("assay.report.page").joinpath("assets", name).read_text(encoding="utf-8")


def page_style() -> str:
    """Return all styles."""
    return squeezed("\n".join(asset(f"style/{name}.css") for name in STYLES.split()))


def page_script() -> str:
    """Return all scripts, wrapped in one function."""
    parts = squeezed("\n".join(asset(f"{name}.js") for name in SCRIPTS.split()))
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def squeezed(source: str) -> str:
    """Return a script or style without indentation, comments on their own lines and blank lines.

    No text of the assets goes over a line's end, so nothing that is shown changes.
    """
    without = re.sub(r"^[ \t]*/\*.*?\*/[ \t]*$", "", source, flags=re.DOTALL | re.MULTILINE)
    lines = (line.strip() for line in without.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("// ")) + "\n"


def policy(style: str, script: str) -> str:
    """Return the CSP: nothing is loaded, and only this style and this script run."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _summary(bundle: Bundle, small: SmallCells | None) -> str:
    """Return the headline measures as a plain table, for readers without scripts."""
    rows = []
    for name in headlines(bundle):
        if small is not None and (name in small.measures or not small.evidence_told):
            continue
        value = bundle.result[name]
        text, std, interval = value_texts(value)
        where = f"{subset(value.population)}, n = {value.n:,}"
        cells = "".join(f"<td>{escape(each)}</td>" for each in (text, std, interval, where))
        rows.append(f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>')
    columns = ("measure", "value", "std over folds", "95% CI", "subset")
    head = "".join(f'<th scope="col">{each}</th>' for each in columns)
    caption = f"<caption>{escape(visible(bundle.name))}</caption>"
    body = f"<tbody>{''.join(rows)}</tbody>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead>{body}</table>"
