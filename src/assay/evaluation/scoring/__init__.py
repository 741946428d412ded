"""Compute every measure of a contract on one set of cases."""
