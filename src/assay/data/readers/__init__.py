"""One file per format: folders of tables, TREC text, BEIR, dicts and data frames."""
