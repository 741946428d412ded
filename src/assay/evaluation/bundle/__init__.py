"""The bundle: a folder from which every number of a result can be recomputed independently."""
