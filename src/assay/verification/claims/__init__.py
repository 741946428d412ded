"""Recompute the results of others from their per-query tables, and compare them with what they claim."""
