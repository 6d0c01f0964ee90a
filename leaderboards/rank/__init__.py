"""Turns stored rows of results into scores, intervals and rankings."""
