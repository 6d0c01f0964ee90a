"""Posteriors of a function on a set of arms, the parts of kernelized agents.

A part is a frozen dataclass of plain data; its ``reset`` makes a state for n replicates.
"""

from agents.parts.posteriors.exact import Exact
from agents.parts.posteriors.fixed_nystrom import FixedNystrom
from agents.parts.posteriors.nystrom import Nystrom
from agents.parts.posteriors.quadrature_fourier import QuadratureFourier
from agents.parts.posteriors.random_fourier import RandomFourier

__all__ = ["Exact", "FixedNystrom", "Nystrom", "QuadratureFourier", "RandomFourier"]
