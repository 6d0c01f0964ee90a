"""Compares the hashes of equal bits under forced CPU features and other library versions."""
