"""Estimators, the parts of agents that fit a parameter.

A part is a frozen dataclass of plain data; its ``reset`` makes a state for n replicates.
"""

from agents.estimators.discounted import Discounted
from agents.estimators.forward import Forward
from agents.estimators.frequent_directions import FrequentDirections
from agents.estimators.gradient_descent import GradientDescent
from agents.estimators.polyak import PolyakAveraging
from agents.estimators.ridge import Ridge
from agents.estimators.sag import SAG
from agents.estimators.svrg import SVRG
from agents.estimators.unregularized_forward import UnregularizedForward
from agents.estimators.window import Window

__all__ = [
    "SAG",
    "SVRG",
    "Discounted",
    "Forward",
    "FrequentDirections",
    "GradientDescent",
    "PolyakAveraging",
    "Ridge",
    "UnregularizedForward",
    "Window",
]
