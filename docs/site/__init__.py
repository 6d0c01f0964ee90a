"""Builds the documentation site from the pages of the repository and from the code."""
