"""The leakage audit: ways in which predictions may have seen the gold before being scored."""
