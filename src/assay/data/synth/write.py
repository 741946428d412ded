"""A synthetic corpus as a folder that says everywhere what it is."""

from __future__ import annotations

from pathlib import Path

from assay.data.synth.generate import POSTS, synthesise
from assay.files.scratch import write_new
from assay.files.staging import Staging, joining, refuse_filled

ABOUT = """# Synthetic corpus

Every post here is invented by a program (`assay synth --posts {posts} --seed {seed}`). Nobody wrote
or lived any of it, no figure on it says anything about people, and all ids begin with `synthetic-`.

{posts} posts × 10 criteria, {sentences} sentences, {positives} queries with evidence.
"""


def write_synthetic(
    folder: Path, posts: int = POSTS, seed: int = 0, staging: Staging | None = None
) -> str:
    """Write the tables and a README; return the README's last line."""
    refuse_filled(folder)
    made = synthesise(posts, seed)
    positives = made.gold.select("post_id", "criterion_id").n_unique()
    about = ABOUT.format(
        posts=posts, seed=seed, sentences=made.sentences.height, positives=positives
    )

    def fill(fresh: Path) -> None:
        for name in ("sentences", "criteria", "gold", "folds"):
            write_new(fresh / f"{name}.csv", getattr(made, name).write_csv())
        write_new(fresh / "README.md", about)

    with joining(staging) as into:
        into.folder(folder, fill, refuse_filled)
    return about.splitlines()[-1]
