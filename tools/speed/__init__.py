"""Compares the speed of agents with hand-written loops and with other libraries."""
