"""The baselines of a result, from random order to the oracle, and what they need of a corpus."""
