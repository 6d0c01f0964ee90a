"""Estimators, the parts of agents that fit a parameter.

A part is a frozen dataclass of plain data; its ``reset`` makes a state for n replicates.
"""

from agents.parts.estimators.discounted import Discounted
from agents.parts.estimators.forward_least_squares import ForwardLeastSquares
from agents.parts.estimators.forward_ridge import ForwardRidge
from agents.parts.estimators.frequent_directions import FrequentDirections
from agents.parts.estimators.gradient_descent import GradientDescent
from agents.parts.estimators.polyak_averaging import PolyakAveraging
from agents.parts.estimators.ridge import Ridge
from agents.parts.estimators.sag import SAG
from agents.parts.estimators.svrg import SVRG
from agents.parts.estimators.window import Window

__all__ = [
    "SAG",
    "SVRG",
    "Discounted",
    "ForwardLeastSquares",
    "ForwardRidge",
    "FrequentDirections",
    "GradientDescent",
    "PolyakAveraging",
    "Ridge",
    "Window",
]
