"""Correct reports by seed, computed with scikit-learn, pytrec_eval and plain Python."""
