"""`assay completion`: scripts for shells, generated from the parser; completing starts no Python."""
