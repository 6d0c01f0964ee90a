"""The store of results: a folder of JSON lines, and the schema of a line."""
