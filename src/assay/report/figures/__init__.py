"""Figures as data: a display computes first and draws later, on axes that its user styles."""
