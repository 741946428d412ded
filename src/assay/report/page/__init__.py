"""The page: one HTML file that needs nothing but a browser."""
