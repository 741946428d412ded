"""Data sets of others as a corpus, one file a format."""
