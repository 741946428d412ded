"""Every measure under counts: how often each drawn unit, and so each of its queries, counts.

The formulas are those of the plain path, over counted sums and orders that are made once.
"""
