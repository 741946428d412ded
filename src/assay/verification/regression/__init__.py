"""The regression gate: is a new bundle worse than an old one? (`assay gate NEW --against OLD`)."""
