"""What large inputs cost on one machine; run with benchmarks/ on PYTHONPATH, as the Makefile does."""
