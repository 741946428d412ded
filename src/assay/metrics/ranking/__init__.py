"""Measures of a ranking with binary relevance, with or without a cut-off."""

SECTION = "Ranking"
