"""The leakage audit: ways in which the answers may have met the gold before they were scored."""
