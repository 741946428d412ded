"""Every documented measure, written naively from its definition; imports nothing of assay."""
