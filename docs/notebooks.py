"""Run the notebooks of examples/ and store their outputs, which a forge shows: `make generated`.

`--check` writes nothing and fails if an output on disk differs from the real one. Pictures are compared by
their size: their other bytes depend on the version of the library that draws them.
"""

from __future__ import annotations

import base64
import json
import os
import re
import struct
import sys
import tempfile
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from nbformat import read, write

EXAMPLES = Path(__file__).parents[1] / "examples"
ROUNDING = re.compile(r"\d\.\de-1[3-9]")
"""A difference that `verify` prints and that may depend on the machine's arithmetic."""


def stored(path: Path) -> Any:
    """Return a notebook as it is on disk."""
    return read(path, as_version=4)  # type: ignore[no-untyped-call]


def executed(path: Path) -> Any:
    """Return a notebook with the outputs of a run in an empty folder."""
    notebook = stored(path)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=300,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            record_timing=False,
        )
        client.execute(env={**os.environ, "COLUMNS": "80"})
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"]}
    return notebook


def outputs(notebook: Any) -> list[str]:
    """Return what each cell of code shows; of a picture its size."""
    shown = []
    for cell in notebook.cells:
        for each in cell.get("outputs", ()):
            data = dict(each.get("data", {}))
            if "image/png" in data:
                data["image/png"] = struct.unpack(">II", base64.b64decode(data["image/png"])[16:24])
            shown.append(
                ROUNDING.sub("", json.dumps([each.output_type, each.get("text", ""), data], sort_keys=True))
            )
    return shown


def main() -> int:
    """Write the outputs, or compare them with --check."""
    faults = []
    for path in sorted(EXAMPLES.glob("*.ipynb")):
        made = executed(path)
        if "--check" not in sys.argv:
            write(made, path)  # type: ignore[no-untyped-call]
        elif outputs(made) != outputs(stored(path)):
            faults.append(f"examples/{path.name} has outdated outputs; run `make generated`")
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
