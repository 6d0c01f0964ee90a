"""Agents saved to files and loaded from them, and states compared bit for bit."""
