"""From a printed table to named values."""
