"""The base class of optimistic agents of a linear parameter whose radius is a theorem's."""

from typing import Any, ClassVar

import numpy as np

from agents.agent import noise_level, norm_bound
from agents.parts.confidence import check_radius
from agents.parts.optimism import Optimism


class TheoremRadius(Optimism):
    """Optimism whose radius is that of the theorem that ``radius`` names, or is that number."""

    from_task: ClassVar = {"noise_std": noise_level, "param_norm": norm_bound}
    # Which values of ``radius`` need a bound on the features' norm, and how messages call them.
    bounded: ClassVar[dict[str, str]] = {"theory": "its radius"}
    theorems: ClassVar[tuple[str, ...]] = ("theory",)  # the names that ``radius`` may take

    delta: float
    noise_std: float | None
    param_norm: float | None
    radius: str | float

    def __post_init__(self):
        super().__post_init__()
        self._regression()
        check_radius(self, self.theorems)

    def refusal(self, task: Any) -> str | None:
        reason = super().refusal(task)
        which = self.bounded.get(self.radius) if isinstance(self.radius, str) else None
        if reason is None and which is not None and task.feature_norm is None:
            return f"{which} needs a bound on the features' norm, and the task gives none"
        return reason

    def _start(self) -> None:
        super()._start()
        self._t = np.zeros(self.n, np.int64)
        self._known = {
            "ridge": float(self.ridge),
            "delta": float(self.delta),
            "noise_std": float(self.known("noise_std")),
            "param_norm": float(self.known("param_norm")),
        }

    def _learn(self, contexts, actions, reward, observed) -> None:
        super()._learn(contexts, actions, reward, observed)
        self._t += observed

    def radii(self, contexts: Any = None) -> np.ndarray:
        if not isinstance(self.radius, str):
            return np.full(self.n, float(self.radius))
        return self._radii(contexts)

    def _radii(self, contexts: np.ndarray) -> np.ndarray:
        """The radius of the theorem that ``radius`` names."""
        raise NotImplementedError

    def _known_bounded(self) -> dict[str, Any]:
        """What radii are computed from that need a bound on the features' norm."""
        return {**self._known, "dim": self.task.dim, "feature_norm": self.task.feature_norm}
