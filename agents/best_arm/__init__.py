"""Agents that find the best arm of a K-armed bandit, one algorithm per file."""
