"""What people look at: figures, tables and one page, all of them derived from a bundle."""
