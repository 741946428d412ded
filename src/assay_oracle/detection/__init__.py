"""Measures of the no-evidence gate: how well it separates queries with and without evidence."""
