"""Agents of K-armed bandits, one algorithm per file."""
