"""Standard deviations of reward noise that depend on the arm: given for each, or by a feature.

``law.fault(n_arms, dim)`` says why a law does not fit so many arms and features, or None;
``law.largest(features)`` is the largest deviation that features of a distribution allow, or None if
there is none; and ``law.deviations(features, n_arms)`` are those (m, n, K) of rounds with features
(m, n, d, K), or (m, n, d, 1) if all arms share them. They have one row if all rounds have the same.

============= ================================================================================
``ByArm``     a number for each arm
``ByFeature`` proportional to the absolute value of one feature
============= ================================================================================
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from banditgym.envs.contexts import Contexts
from banditgym.envs.noise import LARGEST_STD
from banditgym.validation import Checked, brief, checked, nonnegative, of_kind, real, reals, whole


@dataclass(frozen=True, eq=False)
class ByArm:
    """A standard deviation for each arm.

    Parameters
    ----------
    std : ndarray of shape (K,)
        In units of reward, >= 0.
    """

    std: np.ndarray

    def __post_init__(self):
        if self.std.ndim != 1 or not ((self.std >= 0) & (self.std <= LARGEST_STD)).all():
            raise ValueError(
                f"noise_std must be a standard deviation, >= 0 and at most {LARGEST_STD:g}, or one "
                f"for each arm, got {brief(self.std.tolist())}"
            )

    def fault(self, n_arms: int, dim: int) -> str | None:
        have = len(self.std)
        return None if have == n_arms else f"noise_std is for {have} arms, and there are {n_arms}"

    def largest(self, features: Contexts) -> float | None:
        return float(self.std.max())

    def deviations(self, features: np.ndarray, n_arms: int) -> np.ndarray:
        return np.tile(self.std, (1, features.shape[1], 1))


@dataclass(frozen=True, kw_only=True)
class ByFeature(Checked):
    r"""The standard deviation :math:`s \lvert x_j \rvert`.

    Parameters
    ----------
    index : int
        j, from 0 to d - 1.
    scale : float
        s >= 0, in units of reward per unit of features.
    """

    index: int = checked(lambda name, value: whole(name, value, 0))
    scale: float = checked(nonnegative, 1.0)

    def fault(self, n_arms: int, dim: int) -> str | None:
        if self.index < dim:
            return None
        return f"noise_std has the index {self.index}, and features are 0 to {dim - 1}"

    def largest(self, features: Contexts) -> float | None:
        longest = self.scale * max(map(abs, features.limits))
        return longest if longest < math.inf else None

    def deviations(self, features: np.ndarray, n_arms: int) -> np.ndarray:
        own = self.scale * np.abs(features[:, :, self.index])
        return np.repeat(own, n_arms // own.shape[2], axis=2)


NoiseScales = ByArm | ByFeature
_FORMS = "a number, one for each arm, or a mapping such as {'kind': 'feature', 'index': 0}"


def read_noise_std(name: str, value: object) -> float | NoiseScales:
    """A number, a sequence of one for each arm, or a law from plain data.

    Raises
    ------
    ValueError
        For anything else, in one line.
    """
    if isinstance(value, Mapping):
        return of_kind(name, {"feature": ByFeature}, value, _FORMS)
    if isinstance(value, list | tuple | np.ndarray):
        return ByArm(reals(name, value))
    return value if isinstance(value, NoiseScales) else real(name, value)
