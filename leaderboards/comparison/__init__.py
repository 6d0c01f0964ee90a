"""Compares agents: on one environment, and pair by pair until it is decided."""
