"""Measures of the three states NEG, UNCERTAIN and POS."""
