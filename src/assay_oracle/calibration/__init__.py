"""Measures of how far probabilities are from frequencies."""
