"""Write example data for a report: `report_data.py FOLDER [POSTS [CRITERIA [SENTENCES [SEED]]]]`.

1,477 posts, 10 criteria and about 12 sentences per post, five folds, nine of ten queries without
evidence, probabilities, states with separate thresholds in each fold, selected K, and TUNE
queries: each post is in TUNE of the fold after its own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl


def main(folder: Path, posts: int, criteria: int, sentences: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    corpus, predictions = folder / "corpus", folder / "predictions"
    for each in (corpus, predictions):
        each.mkdir(parents=True, exist_ok=True)
    names = [f"post_{number:05d}" for number in range(posts)]
    sizes = generator.integers(max(2, sentences - 5), sentences + 6, posts)
    owner = np.repeat(np.arange(posts), sizes)
    position = np.concatenate([np.arange(1, size + 1) for size in sizes])
    uid = [f"{names[post]}_{at}" for post, at in zip(owner, position, strict=True)]
    text = [f"Sentence {at} of {names[post]}." for post, at in zip(owner, position, strict=True)]
    ids = [f"A.{number + 1}" for number in range(criteria)]
    pl.DataFrame(
        {"post_id": [names[post] for post in owner], "sent_uid": uid, "position": position, "text": text}
    ).write_csv(corpus / "sentences.csv")
    pl.DataFrame(
        {
            "criterion_id": ids,
            "name": [f"Criterion {each}" for each in ids],
            "text": [f"The writer meets criterion {each}." for each in ids],
        }
    ).write_csv(corpus / "criteria.csv")
    fold = generator.permutation(np.arange(posts) % 5)
    folds = pl.DataFrame({"post_id": names, "fold": fold.astype(str)})
    folds.write_csv(corpus / "folds.csv")
    write_answers(generator, corpus, predictions, names, ids, owner, uid, fold)


def write_answers(
    generator: np.random.Generator,
    corpus: Path,
    predictions: Path,
    names: list[str],
    ids: list[str],
    owner: np.ndarray,
    uid: list[str],
    fold: np.ndarray,
) -> None:
    starts = np.searchsorted(owner, np.arange(len(names) + 1))
    harder = generator.uniform(0.8, 1.6, len(ids))
    tau = {code: (0.02 + 0.004 * code, 0.62 + 0.02 * code) for code in range(5)}
    gold, listed, decided, tune = [], [], [], []
    for post, name in enumerate(names):
        for at, criterion in enumerate(ids):
            items = np.arange(starts[post], starts[post + 1])
            has = generator.random() < 0.093
            number = min(int(generator.integers(1, 4)), len(items)) if has else 0
            true = generator.choice(items, number, replace=False)
            score = generator.normal(0, 1, len(items)) + 2.6 / harder[at] * np.isin(items, true)
            gold += [(name, criterion, uid[item]) for item in true]
            listed += [
                (name, criterion, uid[item], round(float(value), 6))
                for item, value in zip(items, score, strict=True)
            ]
            logit = -3.1 + 4.4 / harder[at] * has + generator.normal(0, 1.25)
            prob = round(float(1 / (1 + np.exp(-logit))), 8)
            low, high = tau[int(fold[post])]
            state = "NEG" if prob < low else "POS" if prob >= high else "UNCERTAIN"
            k = 0 if state == "NEG" else min(1 + int(generator.integers(0, 4)), len(items))
            decided.append((name, criterion, prob, k, state, low, high))
            if generator.random() < 0.3:
                other = round(float(np.clip(prob + generator.normal(0, 0.02), 0, 1)), 8)
                tune.append((name, criterion, other, str((int(fold[post]) + 1) % 5)))
    query = ("post_id", "criterion_id")
    write(corpus / "gold.csv", (*query, "sent_uid"), gold)
    write(predictions / "candidates.csv", (*query, "sent_uid", "score"), listed)
    columns = (*query, "prob", "selected_k", "state", "tau_neg", "tau_pos")
    write(predictions / "decisions.csv", columns, decided)
    write(predictions.parent / "tune.csv", (*query, "prob", "fold"), tune)


def write(path: Path, columns: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> None:
    pl.DataFrame(rows, schema=list(columns), orient="row").write_csv(path)


if __name__ == "__main__":
    numbers = [1477, 10, 12, 0]
    given = [int(each) for each in sys.argv[2:]]
    main(Path(sys.argv[1]), *(given + numbers[len(given) :]))
