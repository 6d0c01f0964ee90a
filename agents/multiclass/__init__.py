"""Agents that predict one of k labels of a row, and see only whether they were right."""
