"""A synthetic corpus in the shape of the contracts' one. Every word of it is invented."""
