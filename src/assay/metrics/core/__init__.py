"""What measures are made of: rankings, entries, families, reduce, properties, and the registry."""
