"""Add a stage of your own to the reference pipeline: a reranker that learns, and run it."""

from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

import assay


class LengthReranker(assay.Stage):
    name = "length_reranker"
    needs = ("match", "bm25", "cosine")
    gives = ("length_score",)
    ranks = "length_score"  # this column ranks the candidates
    learns = assay.Learns.TRAIN
    reads = True  # it calls view.texts()

    def features(self, view):
        _, sentences = view.texts()  # of each pair: the criterion, the sentence
        words = [len(sentence.split()) for sentence in sentences]
        return np.column_stack([*(view.column(name) for name in self.needs), words])

    def fit(self, labelled):
        self.model = LogisticRegression(max_iter=1000, random_state=self.seed)
        self.model.fit(self.features(labelled.view), labelled.gold)

    def apply(self, view):
        return {"length_score": self.model.decision_function(self.features(view))}


if __name__ == "__main__":  # the folds run in new processes, which import this file
    corpus = Path(assay.example_path("corpus"))
    plan = assay.Plan(corpus, stages=("lexical", "matching", LengthReranker)).changed(resamples=0)
    outcome = assay.run(plan, "own-stage-run")
    print(outcome.baselines.select("system", "ndcg@10"))
