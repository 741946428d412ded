"""A small invented example: a corpus, predictions, and the same as plain IR."""
