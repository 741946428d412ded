"""Find published results that contradict themselves: table readers, rules, and the report.

`assay.lint` is the function. A finding is about printed values, never about their authors.
"""
