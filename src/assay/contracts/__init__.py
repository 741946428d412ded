"""Contracts: which definition stands behind each public name, shipped or from a user's file."""
