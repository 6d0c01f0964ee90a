"""Learners of online regression, one algorithm per file."""
