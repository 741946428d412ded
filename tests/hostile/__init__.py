"""Hostile input: every example of a found defect is a test here."""
