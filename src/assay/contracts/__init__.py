"""Contracts: which definition each public name resolves to, shipped or from a user's file."""
