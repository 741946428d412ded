"""Recompute every number of a bundle, by both implementations."""
