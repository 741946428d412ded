"""Every measure next to an outside implementation, on values that people really have.

`case` draws the data, `peers` calls other packages, `references` has short formulas for the rest,
`comparisons` says which measure is compared with what.
"""
