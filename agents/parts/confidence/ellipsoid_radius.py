"""The base classes of agents with the radius of the ellipsoid around the ridge estimate."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.parts.confidence.linear_radii import self_normalized
from agents.parts.confidence.theorem_radius import TheoremRadius
from agents.parts.estimators.ridge import FreshArms
from banditgym.streams import AGENT, Stream
from banditgym.tasks import LinearTask, NewsTask


@dataclass(kw_only=True, eq=False)
class EllipsoidRadius(TheoremRadius):
    r"""An agent on ridge regression whose radius is that of ``OFUL``, or a number.

    Parameters
    ----------
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.
    delta : float
        Probability of failure of the radius, in (0, 1).
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant.
    param_norm : float, optional
        S, a bound on the norm of theta, in units of reward per unit of features; the task's if
        None.
    radius : "theory" or float
        ``theory``: that of ``OFUL``; a number >= 0: that constant, in units of reward.
    """

    accepts: ClassVar = (LinearTask, NewsTask)
    bounded: ClassVar = {}

    ridge: float = 1.0
    delta: float = 0.1
    noise_std: float | None = None
    param_norm: float | None = None
    radius: str | float = "theory"

    def _radii(self, contexts: Any) -> np.ndarray:
        return self_normalized(self.model.log_det, **self._known)


class DrawnByEllipsoid(EllipsoidRadius):
    """Such an agent that draws arms, by the ellipsoid's lengths of differences between arms.

    These lengths need the factor of V, which is therefore kept for fixed arms too.
    """

    def _start(self) -> None:
        super()._start()
        n, dim, n_arms = self.n, self.task.dim, self.task.n_arms
        self.model = FreshArms.initial(n, dim, n_arms, float(self.ridge))
        self._keys = Stream(self.seeds, AGENT, 0, 0).keys

    def _available(self) -> np.ndarray:
        """The arms that there are, bool (n, K)."""
        return np.ones((self.n, self.task.n_arms), bool) if self.mask is None else self.mask
