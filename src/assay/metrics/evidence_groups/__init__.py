"""Evidence groups: gold items that are evidence only together, of which one group must be found whole."""

SECTION = "Evidence groups"
"""Measures of gold with a column `group`, and of claims that are verified with such evidence."""
