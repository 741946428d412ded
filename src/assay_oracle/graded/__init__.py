"""Measures of one ranked list that use how relevant each item is."""
