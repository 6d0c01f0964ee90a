"""HybridLinUCB: optimism with a parameter that all arms share, and one more for each arm."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.linear.disjoint_linucb import DisjointLinUCB
from agents.numerics.ridge.factor_contents import predict_one, solve_upper
from agents.parts.estimators.ridge import FreshArms
from agents.search import Log
from banditgym.compiled import compiled
from banditgym.tasks import LinearTask


@dataclass(kw_only=True, eq=False)
class HybridLinUCB(DisjointLinUCB):
    r"""Play the arm with the largest upper confidence bound, where arms share a part of the model.

    The reward of arm k has the mean :math:`\langle x, \beta + \theta_k \rangle`: :math:`\beta` is
    that of all arms. With :math:`A_k = \lambda I + \sum_{s<t, a_s = k} x_s x_s^\top`, :math:`b_k =
    \sum_{s<t, a_s = k} r_s x_s` and :math:`B_k = A_k - \lambda I`, let

    .. math:: A_0 = \lambda I + \sum_k B_k - B_k A_k^{-1} B_k, \qquad
        \hat\beta = A_0^{-1} \sum_k b_k - B_k A_k^{-1} b_k, \qquad
        \hat\theta_k = A_k^{-1} (b_k - B_k \hat\beta).

    With :math:`w_k = x_{t,k} - B_k A_k^{-1} x_{t,k} = \lambda A_k^{-1} x_{t,k}` round :math:`t`
    plays

    .. math:: a_t = \arg\max_k \; \langle x_{t,k}, \hat\beta + \hat\theta_k \rangle
        + \alpha \sqrt{x_{t,k}^\top A_k^{-1} x_{t,k} + w_k^\top A_0^{-1} w_k}.

    It is ``LinUCB`` with features :math:`x` at the first d places, and once more in the block of
    the arm. A reward r of arm k adds :math:`w w^\top / c` to :math:`A_0` and :math:`(r -
    x^\top A_k^{-1} b_k) w / c` to its vector, where :math:`c = 1 + x^\top A_k^{-1} x`, before
    :math:`A_k` and :math:`b_k` change. A round costs :math:`O(K d^2)` per replicate; memory:
    n (K (d² + 3 d + 6) + d² + 3 d) numbers.

    Its definition is ``tests/agents/definitions/linear/hybrid_linucb.py``.

    Parameters
    ----------
    alpha : float
        Width of the bonus, :math:`\alpha \ge 0`, on the scale of the rewards; 0 is greedy.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features. The paper fixes it to 1.

    Attributes
    ----------
    shared : agents.parts.estimators.ridge.FreshArms
        The regression of what arms share: ``theta`` is :math:`\hat\beta`, ``gram`` :math:`A_0`.
    theta : ndarray of shape (n, K, d)
        :math:`\hat\theta_k` of every arm.
    gram : ndarray of shape (n, K, d, d)
        :math:`A_k` of every arm.

    Notes
    -----
    In the paper the shared part has features z of its own, products of those of the user and of the
    article. Here they are the features x of the arm, and :math:`B_k`, the sum of :math:`x z^\top`,
    follows from :math:`A_k`. Of the paper, equation (6) was read as others quote it; the updates
    and the width are those of other authors' code, which agree with the definition.

    References
    ----------
    L. Li, W. Chu, J. Langford, R. Schapire. A Contextual-Bandit Approach to Personalized News
    Article Recommendation. WWW 2010, Algorithm 2.
    """

    accepts: ClassVar = (LinearTask,)
    paper: ClassVar = "Li et al. 2010, Algorithm 2"
    search: ClassVar = {"alpha": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}

    def _start(self) -> None:
        super()._start()
        n, n_arms, dim = self._moment.shape
        self.shared = FreshArms.initial(n, dim, n_arms, float(self.ridge))

    @property
    def theta(self) -> np.ndarray:
        beta = np.repeat(self.shared.theta[:, :, None], self.task.n_arms, axis=2)
        *_, rest = self._divided(beta, np.ones_like(self._stale))
        return super().theta + (rest - beta).swapaxes(1, 2)

    def _predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mean, variance, rest = self._divided(contexts, np.ones_like(self._stale))
        of_shared = self.shared.predict(rest)
        return mean + of_shared[0], variance + of_shared[1]

    def _learn(self, contexts, actions, reward, observed) -> None:
        played, which = (np.arange(self.n), actions), np.zeros_like(self._stale)
        which[played] = observed
        mean, variance, rest = self._divided(contexts, which)
        super()._learn(contexts, actions, reward, observed)
        scale = 1.0 / np.sqrt(1.0 + variance[played])  # one over the root of c
        rest = scale[:, None, None] * rest
        rest.flags.writeable = False
        self.shared.update(rest, actions, scale * (reward - mean[played]), observed)

    def _divided(self, contexts: np.ndarray, which: np.ndarray) -> tuple[np.ndarray, ...]:
        """Mean and variance (n, K) by the arms' own models, and w (n, d, K), for some arms."""
        mean, variance, rest = (
            np.zeros(which.shape),
            np.zeros(which.shape),
            np.zeros(contexts.shape),
        )
        _divide(self._factors, float(self.ridge), which, contexts, mean, variance, rest)
        rest.flags.writeable = False
        return mean, variance, rest


@compiled
def _divide(factors, ridge, which, features, mean, variance, rest):
    """The kernel of ``_divided``."""
    (upper, pivots, moment), w = factors, np.empty(features.shape[1])
    for i in range(mean.shape[0]):
        for k in range(mean.shape[1]):
            if which[i, k]:
                for j in range(w.shape[0]):
                    w[j] = features[i, j, k]
                mean[i, k], variance[i, k] = predict_one(upper[i, k], pivots[i, k], moment[i, k], w)
                for j in range(w.shape[0]):
                    w[j] *= ridge * pivots[i, k, 1, j]
                solve_upper(upper[i, k], w)
                for j in range(w.shape[0]):
                    rest[i, j, k] = w[j]
