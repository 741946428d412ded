"""Answers in text, and answers that were withheld."""
