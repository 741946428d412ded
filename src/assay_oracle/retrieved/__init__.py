"""Measures of the retrieved list as a set, and of how much of it was judged."""
