"""All findings of a bundle, in the order of its file, then those of its tables."""

from collections.abc import Iterator

from assay_oracle.bundle.columns import column_findings
from assay_oracle.bundle.findings import Finding
from assay_oracle.bundle.groups import group_findings
from assay_oracle.bundle.measures import Recomputed, measure_findings
from assay_oracle.bundle.read import Bundle
from assay_oracle.bundle.totals import count_findings, histogram_findings


def findings(bundle: Bundle, recomputed: Recomputed) -> Iterator[Finding]:
    """One finding a number of metrics_master.json, and one a column of the tables."""
    for key in bundle.master:
        if key == "counts":
            yield from count_findings(bundle)
        elif key == "measures":
            yield from measure_findings(recomputed)
        elif key == "groups":
            yield from group_findings(bundle, recomputed)
        elif key == "thresholds":
            for position, entry in enumerate(bundle.thresholds):
                yield from entry.findings(f"thresholds/{position}")
        elif key == "selected_k":
            yield from histogram_findings(bundle)
    yield from column_findings(bundle, recomputed)
    yield from bundle.candidate_findings
