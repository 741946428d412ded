"""Arrays in, arrays out: NumPy only, no files, no ids, nothing of the rest of assay.

Every kernel takes any set of whole queries and gives one value a query, so parts concatenate.
"""
