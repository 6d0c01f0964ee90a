"""Sets of legal actions, and the refusal of illegal ones."""

from banditgym.action_sets.ball import Ball
from banditgym.action_sets.box import Box
from banditgym.action_sets.ellipsoid import Ellipsoid
from banditgym.action_sets.finite import FiniteArms
from banditgym.action_sets.labels import DistinctLabels
from banditgym.action_sets.lp_ball import LpBall
from banditgym.action_sets.numbers import Numbers
from banditgym.action_sets.points import TOLERANCE, AnyPoints, Nearest, PointSet, read_points
from banditgym.action_sets.sphere import Sphere

__all__ = [
    "TOLERANCE",
    "AnyPoints",
    "Ball",
    "Box",
    "DistinctLabels",
    "Ellipsoid",
    "FiniteArms",
    "LpBall",
    "Nearest",
    "Numbers",
    "PointSet",
    "Sphere",
    "read_points",
]
