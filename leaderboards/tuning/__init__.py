"""Tuning: one setting of an agent per family, searched on seeds that are never scored."""
