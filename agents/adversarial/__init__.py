"""Agents of K-armed bandits whose rewards an adversary may choose, one algorithm per file."""
