"""Epochs: agents scored on seeds and settings that nobody can know before they are revealed."""
