"""OFUL: optimism over a confidence ellipsoid with the radius of a theorem."""

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.numerics.feature_lengths import keep_longest, norms
from agents.parts.confidence import (
    forward_self_normalized,
    self_normalized,
    self_normalized_closed,
    sketched,
)
from agents.parts.estimators import ForwardRidge, FrequentDirections, Ridge
from agents.parts.optimism import Optimism
from banditgym.tasks import LinearTask, NewsTask
from banditgym.validation import brief

# The names that ``radius`` may take, one per theorem, for each estimator.
_RADII = {
    Ridge: ("theory", "closed"),
    ForwardRidge: ("theory", "tight"),
    FrequentDirections: ("theory",),
}


@dataclass(kw_only=True, eq=False)
class OFUL(Optimism):
    r"""Optimism in the face of uncertainty for linear bandits.

    With ridge regression :math:`\hat\theta_t, V_t` of the past rounds and the confidence set
    :math:`\{\theta : \lVert\theta - \hat\theta_t\rVert_{V_t} \le \rho_t\}`, round :math:`t` plays

    .. math:: a_t = \arg\max_k \; \langle x_{t,k}, \hat\theta_t \rangle
        + \rho_t \lVert x_{t,k} \rVert_{V_t^{-1}}, \qquad
        \rho_t = \sqrt\lambda S + R\sqrt{2\log(1/\delta) + \log(\det V_t / \lambda^d)},

    which contains the true :math:`\theta` for all t with probability :math:`1 - \delta`. A round
    costs :math:`O(K d^2)` per replicate; for memory see ``agents.estimators.Ridge``.

    With the forward estimator, ``estimator=ForwardRidge()``, it is ``ForwardOFUL``, and with
    ``FrequentDirections()`` it is ``SOFUL``.

    Parameters
    ----------
    estimator : Ridge, ForwardRidge or FrequentDirections
        Of ``agents.estimators``; it gives the mean and the variance of the arms.
    ridge : float, optional
        :math:`\lambda > 0`, on the scale of the squared features, in place of the estimator's own:
        ``OFUL(ridge=2.0)`` is ``OFUL(estimator=Ridge(ridge=2.0))``.
    delta : float
        Probability of failure, in (0, 1).
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant (the guarantee is then lost).
    param_norm : float, optional
        S, a bound on the norm of theta; the task's if None.
    radius : "theory", "closed", "tight" or float
        ``theory``: the radius above, or that of ``ForwardOFUL`` or ``SOFUL``; ``closed``, with
        ``Ridge``: its log-determinant replaced by its bound
        :math:`d\log(1 + (t-1)L^2/(\lambda d))`, which needs a bound L on the features' norm from
        the task; ``tight``, with ``ForwardRidge``: its tighter form; a number: that constant, as in
        LinUCB.

    Attributes
    ----------
    model
        The estimator's state, such as ``agents.parts.estimators.ridge.FreshArms``.

    Notes
    -----
    Departs from the paper in one way: the radius is recomputed every round, not only when the
    determinant has grown by a constant factor (its section 5.1).

    References
    ----------
    Y. Abbasi-Yadkori, D. Pál, C. Szepesvári. Improved Algorithms for Linear Stochastic Bandits.
    NeurIPS 2011, Figure 1 and Theorem 2.
    """

    accepts: ClassVar = (LinearTask, NewsTask)
    paper: ClassVar = "Abbasi-Yadkori et al. 2011, Figure 1"
    bounded: ClassVar = {"closed": "its closed radius"}

    estimator: Ridge | ForwardRidge | FrequentDirections = Ridge()  # noqa: RUF009 (it is frozen)
    ridge: float | None = None
    delta: float = 0.1
    noise_std: float | None = None
    param_norm: float | None = None
    radius: str | float = "theory"

    def __post_init__(self):
        if type(self.estimator) not in _RADII:
            known = ", ".join(part.__name__ for part in _RADII)
            raise ValueError(f"estimator must be one of {known}, got {brief(self.estimator)}")
        super().__post_init__()

    def _regression(self) -> Ridge | ForwardRidge | FrequentDirections:
        if self.ridge is None:
            return self.estimator
        return dataclasses.replace(self.estimator, ridge=self.ridge)

    def _theorems(self) -> tuple[str, ...]:
        return _RADII[type(self.estimator)]

    def _start(self) -> None:
        super()._start()
        self._longest = np.zeros(self.n)  # the largest norm played, for the forward radius

    def _radii(self, contexts: np.ndarray) -> np.ndarray:
        model, task = self.model, self.task
        if isinstance(self.estimator, ForwardRidge):
            return forward_self_normalized(
                self._t + 1, norms(contexts), self._longest, dim=task.dim,
                variance=model.variance if self.radius == "tight" else None, **self._known,
            )  # fmt: skip
        if isinstance(self.estimator, FrequentDirections):
            return sketched(model.log_det, model.shrinkage, dim=task.dim, **self._known)
        if self.radius == "closed":
            return self_normalized_closed(
                self._t, dim=task.dim, feature_norm=task.feature_norm, **self._known
            )
        return self_normalized(model.log_det, **self._known)

    def _learn(self, contexts, actions, reward, observed) -> None:
        super()._learn(contexts, actions, reward, observed)
        if isinstance(self.estimator, ForwardRidge):
            keep_longest(self._longest, contexts, actions, observed)
