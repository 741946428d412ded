"""All measures: one file per family in a group, with its formula and its entry together.

`core` has what they share. The mirror of each file in `assay_oracle` is the second implementation.
"""
