"""Linear models: logistic regressions, and those of criteria with evidence of their own."""
