"""Choosing a threshold on labelled rows by a rule."""
