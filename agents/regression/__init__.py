"""Agents of online regression, one algorithm per file."""
