"""Checks of the features that linear regressions take: they are finite, and not too long."""

import math

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.tasks import FeatureTask

LONGEST = 1e25  # the largest ‖x‖² / ridge of a sample; see banditgym.linalg


def check_lengths(task: FeatureTask, ridge: float, longest: float) -> None:
    """Raise if the bound on the task's features allows ‖x‖² / ridge above ``longest``."""
    bound = task.feature_norm
    if bound is not None and not bound <= np.sqrt(longest) * np.sqrt(ridge):
        raise ValueError(
            f"features may be as long as {bound:g}, which is too long for a ridge of {ridge:g}: "
            f"‖x‖² / ridge may be {longest:g} in double precision; scale the features or raise "
            "ridge"
        )


@inlined
def longest_square(ridge):
    """The largest finite ‖x‖² that a sample may have."""
    return min(LONGEST * ridge, 1e300)


@inlined
def first_refused(features, arms, observed, longest):
    """The first observed replicate whose chosen features are not finite, or -1.

    Returns -2 - i if the features of replicate i are longer than the root of ``longest``.
    """
    n, dim, _ = features.shape
    for i in range(n):
        if observed[i]:
            square = 0.0
            for j in range(dim):
                square += features[i, j, arms[i]] * features[i, j, arms[i]]
            if not square <= longest:
                for j in range(dim):
                    if not math.isfinite(features[i, j, arms[i]]):
                        return i
                return -2 - i
    return -1


@compiled
def cause(features, i):
    """Why replicate i is refused: i if a feature is not finite, else -2 - i for too long ones."""
    for j in range(features.shape[1]):
        for k in range(features.shape[2]):
            if not math.isfinite(features[i, j, k]):
                return i
    return -2 - i
