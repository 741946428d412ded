"""Measures of one ranked list with relevant items, averaged over the queries."""
