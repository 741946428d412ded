"""Evidence groups: gold items that are evidence only together, and where candidates complete them."""
