"""Estimators: parts of learners, not learners.

A part is a frozen dataclass of plain data; its ``reset`` makes a state for n replicates.
"""

from agents.estimators.ridge import Ridge

__all__ = ["Ridge"]
