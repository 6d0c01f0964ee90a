"""Agents of logistic bandits, one algorithm per file."""
