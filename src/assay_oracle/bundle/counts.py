"""Check the counts of the whole bundle, and the histograms of selected_k."""

from collections import Counter
from collections.abc import Iterator

from assay_oracle.bundle.files import mapping, number
from assay_oracle.bundle.findings import ORIGINAL_FILES, Finding, pairwise_findings
from assay_oracle.bundle.reading import Bundle
from assay_oracle.core.rows import Row


def count_findings(bundle: Bundle) -> Iterator[Finding]:
    """Yield a finding per count of the file; some follow from the original files only."""
    rows = bundle.rows
    again: dict[str, int] = {
        "queries": len(rows),
        "evidence": sum(row.has_evidence for row in rows),
        "candidates": sum(row.n for row in rows),
        "resorted": bundle.resorted,
    }
    if bundle.ranked:
        again["missing"] = sum(row.n == 0 for row in rows)
        again["missing_evidence"] = sum(row.n == 0 and row.has_evidence for row in rows)
    for name, content in mapping(bundle.master.get("counts"), "counts").items():
        place = f"counts/{name}"
        reason = "" if name in again else ORIGINAL_FILES
        yield Finding(place, number(content, place), again.get(name), reason)


def histogram_findings(bundle: Bundle) -> Iterator[Finding]:
    """Yield how often each K was selected; a query without a K returns nothing, which is 0."""
    for name, content in mapping(bundle.master.get("selected_k", {}), "selected_k").items():
        sizes = Counter(str(row.query.selected_k or 0) for row in bundle.rows if _is_in(row, name))
        yield from pairwise_findings(f"selected_k/{name}", content, dict(sizes))


def _is_in(row: Row, group: str) -> bool:
    """Return whether a row is in `all`, `state=NEG` …, `has_evidence=0` or `has_evidence=1`."""
    column, _, label = group.partition("=")
    if column == "state":
        return row.query.state == label
    if column == "has_evidence":
        return str(int(row.has_evidence)) == label
    return group == "all"
