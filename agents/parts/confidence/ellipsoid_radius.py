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
    """An agent on ridge regression whose radius is that of ``OFUL``, or a number."""

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
