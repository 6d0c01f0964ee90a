"""Rows of results: the schema of a row, and the file that keeps them."""
