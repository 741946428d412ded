"""The data that benchmarks are run on."""
