"""Suites: what is scored. Their files, the tables in them, seeds, baselines and resources."""
