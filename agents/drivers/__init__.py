"""Compiled loops that play rounds for agents, with a module for each kind of block."""
