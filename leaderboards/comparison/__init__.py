"""Compares agents on one environment, without a suite."""
