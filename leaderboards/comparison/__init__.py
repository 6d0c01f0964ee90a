"""Compares agents: on one environment, and pair by pair until every pair is decided."""
