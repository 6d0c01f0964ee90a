"""Logs: ``LogFile`` writes what agents play, and ``learn`` lets an agent learn from a log."""
