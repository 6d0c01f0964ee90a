"""Learners of linear bandits, one algorithm per file."""
