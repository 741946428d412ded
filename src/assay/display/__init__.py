"""How objects show themselves: as text, HTML, LaTeX and data frames."""
