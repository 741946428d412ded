"""Evaluate 98 million rows: assay, DuckDB SQL for the same values, and the sum of the columns.

`make bench-big`, or `big.py [--queries N] [--text] [--repeats N]`. Files of about 1 GB (Parquet) and
4 GB (`--text`) go to a temporary folder, which is deleted. Only disagreement of the values is an error.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

from adapters.agreement import largest_difference
from measure import HERE, Sample, assay_cli, interleaved, spawn
from table import Row, markdown, source, times, verdict

CANDIDATES = 1_000
BYTES = {"parquet": 12, "trec": 42}
"""Disk per row, rounded up."""


def child(mode: str, folder: Path) -> Sample:
    """Run one of the modes of `big_child.py`."""
    sample, output = spawn([sys.executable, str(HERE / "scale" / "big_child.py"), mode, str(folder)])
    return Sample(sample.cpu, sample.wall, sample.peak, json.loads(output))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=98_000, help="of 1,000 candidates each")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--text", action="store_true", help="evaluate TREC text, too")
    options = parser.parse_args()
    rows = options.queries * CANDIDATES
    what = f"{rows / 1e6:.0f} million rows"
    needed = rows * (BYTES["parquet"] + BYTES["trec"] * options.text)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if shutil.disk_usage(folder).free < 1.2 * needed:
            raise SystemExit(f"{folder}: {needed / 1e9:.0f} GB are needed; set TMPDIR to another disk")
        forms = ("parquet", "trec") if options.text else ("parquet",)
        command = [sys.executable, str(HERE / "generated_data" / "generate_big.py"), str(folder)]
        spawn([*command, str(options.queries), str(CANDIDATES), *forms])
        tools = {"assay": partial(assay_cli, folder, "parquet")}
        tools |= {mode: partial(child, mode, folder) for mode in ("polars-sum", "duckdb")}
        if options.text:
            tools["assay, TREC text"] = partial(assay_cli, folder, "trec")
        samples = interleaved(tools, options.repeats)
        computed = {tool: found[0].values for tool, found in samples.items() if tool != "polars-sum"}
        agreed = largest_difference(computed, what)
    ours = samples["assay"]
    share, peak = ours.cpu / samples["polars-sum"].cpu, ours.peak or 0.0
    met = f"CPU {verdict(share <= 1.5, times(share))}, memory {verdict(peak < 400, f'{peak:.0f} MB')}"
    table = [Row(what, "assay, Parquet", ours, "1×", "≤ 1.5× of the sum, < 400 MB", met)]
    table += [Row(what, tool, samples[tool], times(samples[tool].cpu / ours.cpu)) for tool in list(tools)[1:]]
    print(markdown(table, [f"Measured: {source()}.", agreed]))


if __name__ == "__main__":
    main()
