"""Logs and per-query tables of other systems as corpus and predictions."""
