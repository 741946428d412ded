"""Choose thresholds on TUNE, and apply them to other posts only."""
