"""Benchmarks that need Spark."""
