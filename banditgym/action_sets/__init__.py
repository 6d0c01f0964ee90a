"""Sets of legal actions, and the refusal of illegal ones."""

from banditgym.action_sets.ball import Ball
from banditgym.action_sets.box import Box
from banditgym.action_sets.ellipsoid import Ellipsoid
from banditgym.action_sets.finite import FiniteArms
from banditgym.action_sets.labels import DistinctLabels, first_bad_label
from banditgym.action_sets.lp_ball import LpBall
from banditgym.action_sets.points import (
    TOLERANCE,
    PointSet,
    played_point,
    played_points,
    read_points,
)
from banditgym.action_sets.sphere import Sphere

__all__ = [
    "TOLERANCE",
    "Ball",
    "Box",
    "DistinctLabels",
    "Ellipsoid",
    "FiniteArms",
    "LpBall",
    "PointSet",
    "Sphere",
    "first_bad_label",
    "played_point",
    "played_points",
    "read_points",
]
