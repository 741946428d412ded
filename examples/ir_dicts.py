"""Evaluate runs that are dicts, as pytrec_eval and ranx take them, or data frames."""

import polars as pl

import assay

qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2, "d4": 1}}
run = {"q1": {"d1": 0.7, "d2": 0.4}, "q2": {"d4": 0.9, "d3": 0.1}}
result = assay.evaluate(run, qrels=qrels, measures=["nDCG@10", "AP", "RR"])
print({name: round(float(value), 4) for name, value in result.items()})

scores = [(query, doc, score) for query, row in run.items() for doc, score in row.items()]
frame = pl.DataFrame(scores, schema=["qid", "docno", "score"], orient="row")
same = assay.evaluate(frame, qrels=qrels, measures=["nDCG@10", "AP", "RR"])
print("the same from a data frame:", same == result)
