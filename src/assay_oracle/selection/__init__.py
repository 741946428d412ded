"""Measures of what is returned: the top selected_k of each query's candidates."""
