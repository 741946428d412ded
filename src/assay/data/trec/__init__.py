"""TREC text: the judgements and runs in it, and the faults of its lines."""
