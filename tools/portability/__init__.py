"""Plays the corpus of bits with libraries that are forced to choose code for other CPUs."""
