"""Read the formats that results are published in."""
