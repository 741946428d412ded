"""Search for counts that could have produced the printed values."""
