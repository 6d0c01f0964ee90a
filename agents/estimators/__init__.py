"""Estimators: parts of learners, not learners.

A part is a frozen dataclass of plain data; its ``reset`` makes a state for n replicates.
"""

from agents.estimators.discounted import Discounted
from agents.estimators.forward import Forward
from agents.estimators.ridge import Ridge
from agents.estimators.unregularized_forward import UnregularizedForward
from agents.estimators.window import Window

__all__ = ["Discounted", "Forward", "Ridge", "UnregularizedForward", "Window"]
