"""Bootstrap intervals by post, and exact bounds for shares."""
