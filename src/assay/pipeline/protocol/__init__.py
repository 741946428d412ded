"""Nested cross-validation: folds, cross-fitting, caching, workers, settings search."""
