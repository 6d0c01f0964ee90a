"""Learners of every family, one algorithm per file."""
