"""A mutation fuzzer of every reader, command and bundle file: `make fuzz`."""
