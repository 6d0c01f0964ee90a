"""Disjoint LinUCB: optimism with a separate ridge regression for every arm."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import reject
from agents.inputs.feature_limits import LONGEST, check_lengths
from agents.numerics.choice import most_optimistic
from agents.numerics.ridge.disjoint import absorb_disjoint, predict_disjoint
from agents.numerics.ridge.factor import initial
from agents.numerics.ridge.factor_contents import multiply, solve
from agents.parts.optimism import ConstantRadius
from agents.search import Log
from agents.storage.loadable import Loadable
from banditgym.validation import checked, nonnegative


@dataclass(kw_only=True, eq=False)
class DisjointLinUCB(ConstantRadius):
    r"""Play the arm with the largest upper confidence bound, where each arm has its own model.

    With :math:`A_k = \lambda I + \sum_{s<t, a_s = k} x_s x_s^\top` and
    :math:`\hat\theta_k = A_k^{-1} \sum_{s<t, a_s = k} r_s x_s`, round :math:`t` plays

    .. math:: a_t = \arg\max_k \; \langle x_{t,k}, \hat\theta_k \rangle
        + \alpha \sqrt{x_{t,k}^\top A_k^{-1} x_{t,k}}.

    This is what most libraries call LinUCB. It suits arms that stay the same from round to round
    and have a parameter each, as in ``LinearBandit-v0`` with ``parameters="per_arm"``. Where all
    arms share one theta, ``LinUCB`` learns from K times as many rewards. A round costs
    :math:`O(K d^2)`, or O(K + d²) with fixed arms; memory: n K (d² + 3 d + 4) numbers. In news an
    arm's model begins with the first reward of the arm in its slot. It ends when the model of
    another arm begins in that slot; later rewards of the first arm are not used.

    Its definition is ``tests/agents/definitions/linear/disjoint_linucb.py``.

    Parameters
    ----------
    alpha : float
        Width of the bonus, >= 0, on the scale of the rewards. The paper's is
        :math:`1 + \sqrt{\log(2/\delta)/2}`.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features. The paper fixes it to 1.

    Attributes
    ----------
    theta : ndarray of shape (n, K, d)
        The estimate of every arm.
    gram : ndarray of shape (n, K, d, d)
        :math:`A_k` of every arm.

    References
    ----------
    L. Li, W. Chu, J. Langford, R. Schapire. A Contextual-Bandit Approach to Personalized News
    Article Recommendation. WWW 2010, Algorithm 1.
    """

    paper: ClassVar = "Li et al. 2010, Algorithm 1"
    models_arms: ClassVar = True
    search: ClassVar = {"alpha": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}
    loadable: ClassVar = {"_whose": Loadable(least=-(2**63), most=2**63 - 1)}  # any ids

    alpha: float = checked(nonnegative, 1.0)
    ridge: float = 1.0

    def _start(self) -> None:
        n, n_arms, dim = self.n, self.task.n_arms, self.task.dim
        check_lengths(self.task, self.ridge, LONGEST)
        # As in ``agents.parts.estimators.ridge.FreshArms``, for every arm.
        upper, pivots, moment = initial(n * n_arms, dim, float(self.ridge))
        self._upper = upper.reshape(n, n_arms, dim, dim)
        self._pivots = pivots.reshape(n, n_arms, 2, dim)
        self._moment = moment.reshape(n, n_arms, dim)
        self._mean = np.zeros((n, n_arms))
        self._variance = np.zeros((n, n_arms))
        # In news: the id of the arm whose model each slot has.
        self._whose = np.full((n, n_arms), -1)
        self._since = np.zeros((n, n_arms), np.int64)  # the decision that it was first learned from
        # With fixed arms a prediction changes only when its arm is played.
        self._stale = np.ones((n, n_arms), bool)
        self._radius = np.full(n, float(self.alpha))

    @property
    def theta(self) -> np.ndarray:
        return np.stack([*map(solve, self._upper, self._moment)])

    @property
    def gram(self) -> np.ndarray:
        return np.stack([*map(multiply, self._upper, self._pivots)])

    @property
    def _factors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self._upper, self._pivots, self._moment

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        return most_optimistic(*self._predict(contexts), self._radius, self.mask)

    def _estimate(self, contexts: np.ndarray, actions: np.ndarray) -> np.ndarray:
        return self._predict(contexts)[0][np.arange(self.n), actions]

    def _predict(self, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n, K) of the arms."""
        if not self.task.fixed_arms:
            self._stale[:] = True
        factors, predicted = self._factors, (self._mean, self._variance)
        reject(predict_disjoint(factors, contexts, self._stale, *predicted), "a feature")
        if self.ids is None:
            return self._mean, self._variance
        strange = self.ids != self._whose
        mean = np.where(strange, 0.0, self._mean)
        prior = (contexts * contexts).sum(axis=1) / self.ridge
        return mean, np.where(strange, prior, self._variance)

    def _learn(self, contexts, actions, reward, observed) -> None:
        if self.ids is not None:
            observed = self._welcome(self.ids, actions, observed)
        learned = self._stale, contexts, actions, reward, observed
        reject(absorb_disjoint(self._factors, float(self.ridge), *learned), "a feature")

    def _welcome(self, ids: np.ndarray, actions: np.ndarray, observed: np.ndarray) -> np.ndarray:
        """Begin the model of every arm whose first reward in its slot is observed.

        Returns where to learn (n,). An arm's late reward is not learned if the model of another arm
        has begun in its slot since.
        """
        rows = np.flatnonzero(observed)
        rows = rows[ids[rows, actions[rows]] != self._whose[rows, actions[rows]]]
        answered = self.decisions - 1 if self.answered is None else self.answered
        answered = np.maximum(answered, 0)  # before the first act there is no decision
        gone = answered[rows] < self._since[rows, actions[rows]]
        if gone.any():
            observed = observed.copy()
            observed[rows[gone]] = False
            rows = rows[~gone]
        slots = actions[rows]
        upper, pivots, moment = initial(len(rows), self.task.dim, float(self.ridge))
        self._upper[rows, slots], self._pivots[rows, slots] = upper, pivots
        self._moment[rows, slots] = moment
        self._since[rows, slots] = answered[rows]
        self._whose[rows, slots] = ids[rows, slots]
        return observed
