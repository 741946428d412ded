"""Compare systems on the same queries: differences, intervals, tests."""
