"""Posteriors of a function on a set of arms, the parts of kernelized agents.

A part is a frozen dataclass of plain data; its ``reset`` makes a state for n replicates.
"""

from agents.posteriors.exact import Exact
from agents.posteriors.fixed_nystrom import FixedNystrom
from agents.posteriors.nystrom import Nystrom
from agents.posteriors.quadrature_fourier import QuadratureFourier
from agents.posteriors.random_fourier import RandomFourier

__all__ = ["Exact", "FixedNystrom", "Nystrom", "QuadratureFourier", "RandomFourier"]
