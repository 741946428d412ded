"""A synthetic corpus of the size that the contracts describe."""
