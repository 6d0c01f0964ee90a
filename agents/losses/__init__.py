"""Agents of convex losses, one algorithm per file."""
