"""The names under which publications print measures."""
