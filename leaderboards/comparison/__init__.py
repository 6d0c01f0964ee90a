"""Agents side by side on one environment, outside any suite."""
