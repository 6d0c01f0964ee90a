"""Agents of online multiclass prediction, one algorithm per file."""
