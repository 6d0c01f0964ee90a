"""Separate processes and their limits of time, for workers and for third-party code."""
