"""Checks of results: what was computed here, and what others printed."""
