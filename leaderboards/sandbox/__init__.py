"""Agents in separate processes, and inside bubblewrap where the system allows it.

This file imports nothing, because an agent's process imports some modules of this package.
"""
