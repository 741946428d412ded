"""Inputs that are larger than the memory that may be used: read in parts, and spilled where scattered."""
