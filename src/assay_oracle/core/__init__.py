"""What all measures share: rows, definition ids, the registry, and sums and curves over queries."""
