"""The pages, the site, and what they promise."""
