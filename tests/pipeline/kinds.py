"""Three kinds of toy runs that give the same guarantees: closed, open, and with a user's own stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from assay.pipeline.run_config import Plan, read_plan
from tests.pipeline.conftest import FAST, Tables, toy, write

SETTINGS = "\n".join(
    f"[{stage}]\n" + "\n".join(f"{name} = {value}" for name, value in table.items())
    for stage, table in sorted(FAST.items(), key=lambda item: item[0] == "gate")  # [gate] comes last
)
PROTOCOL = {"folds": 3, "crossfit": 2, "resamples": 50}
SYLLABLES = ("ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "ti")
OWN = """
import numpy as np
import assay

class Own(assay.Stage):
    name = "own"
    needs = ("score", "node")
    gives = ("own",)
    ranks = "own"
    learns = assay.Learns.TRAIN
    reads = True

    def features(self, view):
        words = [len(sentence.split()) for sentence in view.texts()[1]]
        return np.column_stack([view.column("score"), view.column("node"), words])

    def fit(self, labelled):
        from sklearn.linear_model import LogisticRegression
        known = labelled.known_pairs
        self.model = LogisticRegression(max_iter=1000, random_state=self.seed)
        self.model.fit(self.features(labelled.view)[known], labelled.gold[known])

    def apply(self, view):
        return {"own": self.model.decision_function(self.features(view))}
"""
OWN_STAGES = (
    'stages = ["lexical", "matching", "scorer", "neighbours", "ownstage:Own", "node_calibration", '
    '"post_scorer", "evidence_scorer", "gate", "calibration", "dynamic_k", "states"]'
)


def open_toy(posts: int = 60, sentences: int = 4, seed: int = 0) -> Tables:
    """Posts with two questions each, asked once: three words of a sentence, or of several sentences."""
    draw = np.random.default_rng(seed)
    vocabulary = sorted({"".join(draw.choice(SYLLABLES, 3)) for _ in range(600)})
    rows, criteria, asked, gold = [], [], [], []
    for number in range(posts):
        post = f"p{number:03d}"
        words = draw.choice(vocabulary, (sentences, 6), replace=False)
        rows += [(post, f"{post}_{at}", at, " ".join(words[at])) for at in range(sentences)]
        for question in (f"{post}q0", f"{post}q1"):
            at = int(draw.integers(sentences))
            if draw.random() < 0.5:
                chosen = draw.choice(words[at], 3, replace=False)
                gold.append((post, question, f"{post}_{at}"))
            else:
                chosen = np.array([words[at, 0], *draw.choice(vocabulary, 2)])
            criteria.append((question, "which " + " ".join(chosen)))
            asked.append((post, question))
    return {
        "sentences": pl.DataFrame(rows, schema=["post_id", "sent_uid", "position", "text"], orient="row"),
        "criteria": pl.DataFrame(criteria, schema=["criterion_id", "text"], orient="row"),
        "queries": pl.DataFrame(asked, schema=["post_id", "criterion_id"], orient="row"),
        "gold": pl.DataFrame(gold, schema=["post_id", "criterion_id", "sent_uid"], orient="row"),
    }


@dataclass(frozen=True)
class Kind:
    """A corpus and a configuration for it."""

    name: str
    tables: Callable[..., Tables]
    head: str = ""  # lines of TOML before the first table
    own: str = ""  # more settings

    def configured(self, folder: Path, tables: Tables | None = None, **protocol: int) -> Path:
        """Write corpus, configuration and module; return the path of the configuration."""
        write(self.tables(45) if tables is None else tables, folder / "corpus")
        if self.head:
            (folder / "ownstage.py").write_text(OWN)
        lines = "\n".join(f"{name} = {value}" for name, value in (PROTOCOL | protocol).items())
        path = folder / "toy.toml"
        path.write_text(f'corpus = "corpus"\n{self.head}\n[protocol]\n{lines}\n{SETTINGS}\n{self.own}\n')
        return path

    def plan(self, folder: Path, tables: Tables | None = None, **protocol: int) -> Plan:
        return read_plan(self.configured(folder, tables, **protocol))


CLOSED = Kind("closed", toy)
OPEN = Kind("open", open_toy)
OWN_STAGE = Kind("own stage", toy, OWN_STAGES, 'also = ["own"]')  # of [gate], which comes last
KINDS = (CLOSED, OPEN, OWN_STAGE)
