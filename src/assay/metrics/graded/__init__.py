"""Measures of a ranking that use the grades of the gold."""

SECTION = "Ranking"
