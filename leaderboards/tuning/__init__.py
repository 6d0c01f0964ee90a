"""Tuning: one setting of an agent per family, searched with Optuna on seeds that are never scored."""
