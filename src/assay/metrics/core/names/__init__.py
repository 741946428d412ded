"""The names that other tools give to measures."""
