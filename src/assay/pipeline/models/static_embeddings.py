"""Static embeddings shipped with the package wordllama: no download, no network, no GPU."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from assay.array_types import Floats
from assay.errors import InputError, MissingExtraError
from assay.pipeline.models.extras import extra

FILES = {
    "weights/l2_supercat_256.safetensors": (
        "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
    ),
    "tokenizers/l2_supercat_tokenizer_config.json": (
        "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68"
    ),
}
"""Files of wordllama 0.4 and their SHA-256; others would silently change the results."""
AT_ONCE = 1_000  # texts whose pieces are held in memory


def embed(texts: Sequence[str]) -> Floats:
    """Return the mean of the vectors of a text's tokens, of length 1; zeros if it has no token."""
    weights, tokenizer = (_checked(name) for name in FILES)
    vectors = next(iter(extra("safetensors.numpy", "pipeline").load_file(weights).values()))
    split: Any = extra("tokenizers", "pipeline").Tokenizer.from_file(str(tokenizer))
    split.no_padding()
    split.no_truncation()
    out = np.zeros((len(texts), vectors.shape[1]), dtype=np.float32)
    for begin in range(0, len(texts), AT_ONCE):
        some = list(texts[begin : begin + AT_ONCE])
        for at, pieces in enumerate(split.encode_batch(some, add_special_tokens=False), begin):
            if pieces.ids:
                out[at] = vectors[pieces.ids].astype(np.float32).mean(axis=0)
    length = np.linalg.norm(out, axis=1, keepdims=True)
    return np.asarray(out / np.where(length > 0, length, 1), dtype=np.float64)


def _checked(name: str) -> Path:
    """Return a file of the package if its hash is the known one."""
    found = find_spec("wordllama")
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError.of("wordllama", "pipeline")
    path = Path(found.submodule_search_locations[0]) / name
    known = path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == FILES[name]
    if not known:
        problem = "is not the file of wordllama 0.4 (SHA-256)"
        raise InputError.of(path.name, problem, "reinstall wordllama 0.4")
    return path
