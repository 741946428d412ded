"""Measures averaged over posts or over criteria."""

SECTION = "Posts and criteria"
