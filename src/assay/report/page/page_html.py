"""The page as one text: template, style, script and data, under a strict CSP."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files

from assay.display.table_formats import visible
from assay.evaluation.display.paper_tables import subset
from assay.evaluation.display.paper_tables import texts as value_texts
from assay.report.page.page_document import headlines, packed_run
from assay.report.page.post_text import Texts
from assay.report.report_bundle import Bundle
from assay.version import VERSION

SCRIPTS = "base data plot figures curves gate sliders query queries sections overview criteria"
SCRIPTS += " compare main"
"""In this order: constants are defined before they are used."""


def page(bundles: Sequence[Bundle], texts: Texts | None = None) -> str:
    """Return one HTML document for one or more runs; it opens from disk and loads nothing."""
    style, script = asset("page.css"), page_script()
    first = bundles[0]
    title = visible(first.name) if len(bundles) == 1 else f"{len(bundles)} runs compared"
    counts = first.result.counts
    lede = (
        f"{first.name} under {first.result.contract.id}: {counts.queries:,} queries, "
        f"{counts.evidence:,} with evidence, {counts.candidates:,} candidates."
    )
    blocks = [
        f'<script class="run" type="application/octet-stream">{packed_run(each, texts)}</script>'
        for each in bundles
    ]
    filled = {
        "csp": escape(policy(style, script)),
        "version": escape(VERSION),
        "title": escape(title),
        "lede": escape(visible(lede)),
        "summary": "".join(_summary(each) for each in bundles),
        "manifest": escape(", ".join(each.manifest_hash[:16] for each in bundles)),
        "style": style,
        "runs": "\n".join(blocks),
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: filled[found[1]], asset("page.html"))


def asset(name: str) -> str:
    """Return the text of a file in the package."""
    return files("assay.report.page").joinpath("assets", name).read_text(encoding="utf-8")


def page_script() -> str:
    """Return all scripts, wrapped in one function."""
    parts = "\n".join(asset(f"{name}.js") for name in SCRIPTS.split())
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def policy(style: str, script: str) -> str:
    """Return the CSP: nothing is loaded, and only this style and this script run."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _summary(bundle: Bundle) -> str:
    """Return the headline measures as a plain table, for readers without scripts."""
    rows = []
    for name in headlines(bundle):
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
