"""Compiled loops that play the rounds of a block, one module for each kind of block."""
