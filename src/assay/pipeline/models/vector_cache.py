"""Model outputs cached on disk under a hash of the model and the texts.

A unit is texts that go through a model together, such as the sentences of one post: the output
then depends on the unit alone. It has the same bits in any order, in any process and after any
interruption, which would not hold for batches across units.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.pipeline.protocol.array_files import read_arrays, write_arrays
from assay.pipeline.protocol.stage_cache import ENDING, say

Singles = NDArray[np.float32]
Unit = tuple[str, ...]
PIECE = 64  # units per file
SILENT = 5.0  # seconds between two lines of progress


@dataclass(frozen=True, slots=True)
class Vectors:
    """A folder of model outputs; without a folder, nothing is cached. It contains no texts."""

    folder: Path | None = None
    say: Callable[[str], None] = say

    def get(
        self, model: str, units: Sequence[Unit], make: Callable[[Unit], Singles], what: str = "model"
    ) -> list[Singles]:
        """Return the output for each unit. `model` is the identity of the model."""
        keys = [_key(model, unit) for unit in units]
        found = self._found(model)
        missing = {key: unit for key, unit in zip(keys, units, strict=True) if key not in found}
        for piece in self._made(missing, make, what):
            if self.folder is not None:
                self._keep(model, piece)
            found |= piece
        return [found[key] for key in keys]

    def _made(
        self, missing: dict[bytes, Unit], make: Callable[[Unit], Singles], what: str
    ) -> Iterator[dict[bytes, Singles]]:
        """Return the outputs in pieces, with progress."""
        begin = last = time.monotonic()
        piece: dict[bytes, Singles] = {}
        for done, (key, unit) in enumerate(missing.items(), 1):
            piece[key] = np.asarray(make(unit), dtype=np.float32)
            now = time.monotonic()
            if now - last > SILENT:
                left = (now - begin) / done * (len(missing) - done)
                self.say(f"assay: {what}: {done} of {len(missing)}, about {left:.0f} s left")
                last = now
            if len(piece) == PIECE or done == len(missing):
                yield piece
                piece = {}

    def _found(self, model: str) -> dict[bytes, Singles]:
        out: dict[bytes, Singles] = {}
        if self.folder is None:
            return out
        for path in sorted((self.folder / model[:32]).glob(f"*{ENDING}")):
            arrays = read_arrays(path, self.say)
            if arrays is not None:
                keys = arrays["keys"]
                parts = np.split(arrays["values"], np.cumsum(arrays["sizes"])[:-1])
                out |= {key.tobytes(): part for key, part in zip(keys, parts, strict=True)}
        return out

    def _keep(self, model: str, piece: dict[bytes, Singles]) -> None:
        if self.folder is None:
            return
        name = hashlib.sha256(b"".join(piece)).hexdigest()
        arrays = {
            "keys": np.frombuffer(b"".join(piece), dtype=np.uint8).reshape(len(piece), -1),
            "sizes": np.array([len(each) for each in piece.values()]),
            "values": np.concatenate(list(piece.values())),
        }
        write_arrays(self.folder / model[:32] / (name + ENDING), arrays)


def _key(model: str, unit: Unit) -> bytes:
    made = hashlib.sha256(model.encode())
    for text in unit:
        data = text.encode()
        made.update(f"{len(data)}:".encode() + data)
    return made.digest()
