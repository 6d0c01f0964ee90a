"""Epochs: agents are scored on seeds and settings that are secret until they are revealed."""
