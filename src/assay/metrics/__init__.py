"""One declarative entry a measure, and the frozen catalogue of all of them."""
