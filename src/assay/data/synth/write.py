"""A synthetic corpus as a folder that says everywhere what it is."""

from __future__ import annotations

from pathlib import Path

from assay.data.synth.generate import POSTS, synthesise
from assay.errors import InputError

ABOUT = """# Synthetic corpus

Every post here is invented by a program (`assay synth --posts {posts} --seed {seed}`). Nobody wrote
or lived any of it, no figure on it says anything about people, and all ids begin with `synthetic-`.

{posts} posts × 10 criteria, {sentences} sentences, {positives} queries with evidence.
"""


def write_synthetic(folder: Path, posts: int = POSTS, seed: int = 0) -> str:
    """Write the tables and a README; the README's last line is given back."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError.of(str(folder), "exists", "expected a new folder")
    made = synthesise(posts, seed)
    positives = made.gold.select("post_id", "criterion_id").n_unique()
    about = ABOUT.format(
        posts=posts, seed=seed, sentences=made.sentences.height, positives=positives
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("sentences", "criteria", "gold", "folds"):
        getattr(made, name).write_csv(folder / f"{name}.csv")
    (folder / "README.md").write_text(about, encoding="utf-8")
    return about.splitlines()[-1]
