"""What commands print: tables, notes, progress."""
