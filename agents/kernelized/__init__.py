"""Agents of kernelized bandits, one algorithm per file."""
