"""Writes the pages of submissions and of epochs."""
