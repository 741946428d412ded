"""JSON schemas of what assay writes, derived from the catalogue."""
