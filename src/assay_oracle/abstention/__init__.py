"""Measures of selective answering: what remains if the least confident queries are left out."""
