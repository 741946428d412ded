"""Graph networks of the extra `gnn`; torch is imported on use."""
