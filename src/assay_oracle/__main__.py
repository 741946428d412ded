"""`python -m assay_oracle BUNDLE [--draws FILE]`: every number of a bundle, recomputed, as JSON."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay_oracle.bundle.check import findings
from assay_oracle.bundle.files import BundleError
from assay_oracle.bundle.measures import recompute
from assay_oracle.bundle.read import read_bundle
from assay_oracle.draws.values import draw_values


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the findings; 2 with a sentence on stderr where a file is at fault."""
    parser = argparse.ArgumentParser(prog="python -m assay_oracle", description=__doc__)
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="the folder of a bundle")
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
    document = [finding.document() for finding in findings(bundle, recomputed)]
    if draws is not None:
        document += draw_values(bundle, recomputed, draws)
    return document


if __name__ == "__main__":
    sys.exit(main())
