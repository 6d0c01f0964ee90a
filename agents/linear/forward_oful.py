"""ForwardOFUL: OFUL with the forward algorithm in place of ridge regression."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.linear.oful import OFUL
from agents.numerics.ridge.feature_lengths import keep_longest, norms
from agents.parts.confidence import forward_self_normalized
from agents.parts.estimators import ForwardRidge
from agents.search import Log


@dataclass(kw_only=True, eq=False)
class ForwardOFUL(OFUL):
    r"""OFUL that estimates each arm as if it had just been played for a reward of 0.

    With :math:`V_t = \lambda I + \sum_{s<t} x_s x_s^\top`, :math:`V_{t,x} = V_t + x x^\top` and
    :math:`\theta_t(x) = V_{t,x}^{-1} \sum_{s<t} r_s x_s`, round :math:`t` plays

    .. math:: a_t = \arg\max_k \; \langle x_{t,k}, \theta_t(x_{t,k}) \rangle
        + \lVert x_{t,k} \rVert_{V_{t,x_{t,k}}^{-1}} \rho_t(x_{t,k}),
    .. math:: \rho_t(x) = (\sqrt\lambda + \lVert x\rVert) S
        + R\sqrt{2\log(1/\delta) + d \log\left(1 + \frac{t X_t(x)^2}{\lambda d}\right)}, \qquad
        X_t(x) = \max\{\lVert x\rVert, \max_{s<t} \lVert x_s\rVert\}.

    Neither rewards nor features need a bound. With ridge regression's mean m and variance w, the
    two terms are :math:`m / (1 + w)` and :math:`\sqrt{w / (1 + w)}\,\rho_t(x)`, so that a round
    costs :math:`O(K d^2)` per replicate, as for ``OFUL``.

    Its definition is ``tests/agents/definitions/linear/forward_oful.py``.

    Parameters
    ----------
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.
    delta : float
        Probability of failure, in (0, 1).
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant (the guarantee is then lost).
    param_norm : float, optional
        S, a bound on the norm of theta, in units of reward per unit of features; the task's if
        None.
    radius : "theory", "tight" or float
        ``theory``: the radius above; ``tight``: with :math:`\sqrt{w/(1+w)}\,\lVert x\rVert S` in
        place of :math:`\lVert x\rVert S`, smaller and valid; a number: that constant, in units of
        reward.

    Attributes
    ----------
    model : agents.parts.estimators.forward_ridge.ForwardArms
        The estimator's state.

    Notes
    -----
    Departs from the paper's Algorithm 3 in one way. A bracket is missing there, without which the
    width does not multiply the noise's part of the radius. The proof has the form used here.

    References
    ----------
    R. Ouhamma, O.-A. Maillard, V. Perchet. Stochastic Online Linear Regression: the Forward
    Algorithm to Replace Ridge. NeurIPS 2021, Algorithm 3.
    """

    paper: ClassVar = "Ouhamma et al. 2021, Algorithm 3"
    search: ClassVar = {"radius": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}
    bounded: ClassVar = {}
    theorems: ClassVar = ("theory", "tight")

    def _regression(self) -> ForwardRidge:
        return ForwardRidge(ridge=self.ridge)

    def _start(self) -> None:
        super()._start()
        self._longest = np.zeros(self.n)  # the largest norm played

    def _radii(self, contexts: np.ndarray) -> np.ndarray:
        lengths = norms(contexts)
        reach = np.maximum(lengths, self._longest[:, None])
        bias = lengths * self._known["param_norm"]
        if self.radius == "tight":
            bias *= np.sqrt(np.maximum(self.model.variance, 0))
        return forward_self_normalized(self._t + 1, reach, bias, dim=self.task.dim, **self._known)

    def _learn(self, contexts, actions, reward, observed) -> None:
        super()._learn(contexts, actions, reward, observed)
        keep_longest(self._longest, contexts, actions, observed)
