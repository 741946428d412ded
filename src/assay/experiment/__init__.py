"""Run and score pipelines: the one place where predictions of a pipeline meet EVAL gold."""
