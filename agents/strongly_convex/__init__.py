"""Agents on strongly convex sets of points, one algorithm per file."""
