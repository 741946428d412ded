"""`python -m assay` is the command `assay`."""

from assay.cli.__main__ import start

start()
