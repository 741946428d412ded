"""Every number of a bundle once more, from its tables alone.

`read` opens the folder, `findings` says what the file has beside what was recomputed.
"""
