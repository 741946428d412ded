"""Measures of the retrieved candidates as a set: precision, recall, judged shares, totals."""

SECTION = "Ranking"
