"""Agents of every family, one algorithm per file."""
