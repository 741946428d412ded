"""Recompute every number of a bundle from its tables alone.

`reading` reads the folder; a finding pairs a number of the bundle with the recomputed one.
"""
