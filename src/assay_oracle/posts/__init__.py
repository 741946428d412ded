"""Measures of the queries of a post, or of a criterion, taken together."""
