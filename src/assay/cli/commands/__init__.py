"""One file per command: parse its options, call the library, print the result."""
