"""TREC text parsed by NumPy: eight characters are one 64-bit word."""
