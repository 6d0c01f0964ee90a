"""Plays agents on the tasks of a suite: what is lacking is planned, played and stored."""
