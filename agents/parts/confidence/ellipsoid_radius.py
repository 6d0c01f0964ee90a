"""The base class of agents with the radius of the ellipsoid around the ridge estimate."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.parts.confidence.linear_radii import self_normalized
from agents.parts.confidence.theorem_radius import TheoremRadius
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
