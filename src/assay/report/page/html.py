"""The page as one text: template, style, script and runs; nothing else is let in."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files

from assay.report.bundle import Bundle
from assay.report.formats import visible
from assay.report.page.text import Texts
from assay.report.page.view import headlines, packed_run
from assay.report.tables import subset
from assay.report.tables import texts as value_texts
from assay.version import VERSION

SCRIPTS = (
    "base", "data", "plot", "figures", "curves", "gate", "sliders", "query", "queries",
    "sections", "overview", "criteria", "compare", "main",
)  # fmt: skip
"""In this order: constants stand before what uses them."""


def page(bundles: Sequence[Bundle], texts: Texts | None = None) -> str:
    """One HTML document for one run or several. It opens from disk and asks for nothing."""
    style, script = asset("page.css"), page_script()
    first = bundles[0]
    title = visible(first.name) if len(bundles) == 1 else f"{len(bundles)} runs compared"
    counts = first.result.counts
    lede = (
        f"{first.name} under {first.result.contract}: {counts.queries:,} queries, "
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
    """A file that the package carries."""
    return files("assay.report.page").joinpath("assets", name).read_text(encoding="utf-8")


def page_script() -> str:
    """All scripts as one function of its own."""
    parts = "\n".join(asset(f"{name}.js") for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def policy(style: str, script: str) -> str:
    """Nothing is loaded; the one style and the one script run by their hashes."""
    return "; ".join([
        "default-src 'none'", f"script-src '{_hash(script)}'", f"style-src '{_hash(style)}'",
        "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ])  # fmt: skip


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _summary(bundle: Bundle) -> str:
    """The numbers that matter as a plain table, for readers without scripts."""
    rows = []
    for name in headlines(bundle):
        value = bundle.result[name]
        text, std, interval = value_texts(value)
        where = f"{subset(value.population)}, n = {value.n:,}"
        cells = "".join(f"<td>{escape(each)}</td>" for each in (text, std, interval, where))
        rows.append(f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>')
    head = "".join(f'<th scope="col">{each}</th>' for each in
                   ("measure", "value", "± folds", "95 % CI", "subset"))  # fmt: skip
    caption = escape(visible(bundle.name))
    return (f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>")  # fmt: skip
