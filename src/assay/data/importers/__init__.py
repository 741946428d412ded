"""Convert public data sets to a corpus; one file per format."""
