"""Agents of linear bandits, one algorithm per file."""
