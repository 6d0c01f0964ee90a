"""Compiled steps of logistic regression."""
