"""Published results that contradict themselves: readers of tables, rules, and the report.

`assay.lint` is the function; nothing here says anything about the people behind a table.
"""
