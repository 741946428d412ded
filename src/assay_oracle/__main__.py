"""`python -m assay_oracle BUNDLE [--draws FILE]`: recompute all numbers of a bundle as JSON."""

import argparse
import gc
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from assay_oracle.bundle.baseline_findings import baseline_findings
from assay_oracle.bundle.columns import column_findings
from assay_oracle.bundle.counts import count_findings, histogram_findings
from assay_oracle.bundle.files import BundleError
from assay_oracle.bundle.findings import Finding
from assay_oracle.bundle.groups import group_findings
from assay_oracle.bundle.measures import Recomputed, measure_findings, recompute
from assay_oracle.bundle.reading import Bundle, read_bundle
from assay_oracle.draws.draw_values import draw_values


def collect_no_garbage() -> None:
    """Leave cycles alone: the process ends soon, and 15,000 queries take 13.4 s instead of 14.7."""
    gc.disable()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the findings; return 2, with a message on stderr, if a file is at fault."""
    parser = argparse.ArgumentParser(prog="python -m assay_oracle", description=__doc__)
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="bundle folder")
    parser.add_argument("--draws", type=Path, metavar="FILE", help="resamples, as JSON lines")
    given = parser.parse_args(arguments)
    try:
        document = _document(given.bundle, given.draws)
    except BundleError as fault:
        print(f"assay_oracle: {fault}", file=sys.stderr)
        return 2
    print(json.dumps(document, allow_nan=False, indent=1))
    return 0


def _document(folder: Path, draws: Path | None) -> list[dict[str, Any]]:
    bundle = read_bundle(folder)
    recomputed = recompute(bundle)
    document = [finding.document() for finding in _findings(bundle, recomputed, folder)]
    if draws is not None:
        document += draw_values(bundle, recomputed, draws)
    return document


def _findings(bundle: Bundle, recomputed: Recomputed, folder: Path) -> Iterator[Finding]:
    """Yield a finding per number of metrics_master.json, and one per column of the tables."""
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
        elif key == "baselines":
            yield from baseline_findings(bundle, folder)
    yield from column_findings(bundle, recomputed)
    yield from bundle.candidate_findings


if __name__ == "__main__":
    collect_no_garbage()
    sys.exit(main())
