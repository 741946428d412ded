"""Answers in text, and answers that were withheld."""

SECTION = "Answers"
"""Measures of what a system answered; its reader has compared the texts."""
