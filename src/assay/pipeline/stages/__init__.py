"""The stages of the reference pipeline, one file per stage."""
