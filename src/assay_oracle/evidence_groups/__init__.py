"""Evidence groups: gold items that are evidence only together, of which one group must be found whole."""
