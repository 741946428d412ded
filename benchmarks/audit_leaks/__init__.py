"""Clean prediction folders, and leaks to plant in them: for benchmarks and for tests."""
