"""What each stage and each setting is worth: configurations step by step, γ, the two thresholds."""
