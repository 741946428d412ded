"""What each stage and setting contributes: cumulative configurations, γ, both thresholds."""
