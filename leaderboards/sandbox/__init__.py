"""Agents in processes of their own, locked in where the system can do it.

Importing this package loads nothing: the process that plays an agent reads some of its modules.
"""
