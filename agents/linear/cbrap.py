"""CBRAP: LinUCB on features projected at random to fewer dimensions."""

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.numerics.projection import project
from agents.parts.estimators.fixed_arms import FewFixedArms, FixedArms
from agents.parts.optimism import ConstantRadius
from agents.search import Log
from banditgym.streams import AGENT, Stream
from banditgym.tasks import LinearTask
from banditgym.validation import checked, nonnegative, whole


@dataclass(kw_only=True, eq=False)
class CBRAP(ConstantRadius):
    r"""Contextual bandits with random projection.

    Before the first round each replicate draws a matrix P, m x d, whose entries are normal with
    mean 0 and variance 1/m. With :math:`z_{t,k} = P x_{t,k}`,
    :math:`V_t = \lambda I + \sum_{s<t} z_s z_s^\top` and
    :math:`\hat\beta_t = V_t^{-1} \sum_{s<t} r_s z_s`, round :math:`t` plays

    .. math:: a_t = \arg\max_k \; \langle z_{t,k}, \hat\beta_t \rangle
        + \alpha \lVert z_{t,k} \rVert_{V_t^{-1}}.

    Rewards are linear in x. They are linear in z only if theta lies in the span of P's rows. With m
    < d the estimate may rank the best arm below another one forever, and regret is then linear.

    A round costs :math:`O(K m (d + m))` per replicate; with fixed arms it costs as much as
    ``LinUCB`` with m features. Memory: n (d m + K m) numbers, and those of
    ``agents.estimators.Ridge`` with m features.

    Its definition is ``tests/agents/definitions/linear/cbrap.py``.

    Parameters
    ----------
    size : int
        m >= 1. The relative error of lengths is about :math:`1/\sqrt m`: 22 % at 20, the default.
        With m >= d no information is lost. As m grows, :math:`P^\top P` tends to I and the agent
        tends to ``LinUCB``.
    alpha : float
        Width of the bonus, :math:`\alpha \ge 0`, on the scale of the rewards; 0 is greedy.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.

    Attributes
    ----------
    projection : ndarray of shape (n, m, d)
        P.
    model : agents.parts.estimators.ridge.FreshArms, or one of agents.parts.estimators.fixed_arms
        The regression on z.

    References
    ----------
    X. Yu, M. R. Lyu, I. King. CBRAP: Contextual Bandits with RAndom Projection. AAAI 2017.
    """

    accepts: ClassVar = (LinearTask,)
    paper: ClassVar = "Yu et al. 2017"
    search: ClassVar = {"size": Log(5, 60), "alpha": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}

    size: int = checked(whole, 20)
    alpha: float = checked(nonnegative, 1.0)
    ridge: float = 1.0

    def _start(self) -> None:
        task, n, size = self.task, self.n, self.size
        self.projection = Stream(self.seeds, AGENT, 0, 0).normal(0, (size, task.dim))
        self.projection /= np.sqrt(size)
        stretch = np.sqrt((self.projection * self.projection).sum(axis=(1, 2)).max())  # or less
        bound = None if task.feature_norm is None else float(stretch * task.feature_norm)
        low = dataclasses.replace(task, dim=size, arms=None, feature_norm=bound)
        self.model = self._regression().reset(low, n)
        self._radius = np.full(n, float(self.alpha))
        self._low = np.zeros((n, size, task.n_arms))  # z of the arms last seen

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        return super()._choose(self._projected(contexts, self._low))

    _propensities = ConstantRadius.one_hot

    def _estimate(self, contexts: np.ndarray, actions: np.ndarray) -> np.ndarray:
        return super()._estimate(self._projected(contexts, self._low), actions)

    def _learn(self, contexts, actions, reward, observed) -> None:
        if self.task.fixed_arms and not observed.any():
            return  # as ``agents.parts.estimators.fixed_arms`` does
        if self.task.fixed_arms:
            low = self._projected(contexts, self._low)
            self.model.update(low, actions, reward, observed)
        else:
            chosen = np.take_along_axis(contexts, actions[:, None, None], axis=2)
            chosen.flags.writeable = False
            low = self._projected(chosen, np.empty((self.n, self.size, 1)))
            self.model.update(low, np.zeros_like(actions), reward, observed)

    def _projected(self, contexts: np.ndarray, low: np.ndarray) -> np.ndarray:
        """The features (n, m, K), written to ``low``; for fixed arms only once."""
        if not (isinstance(self.model, FixedArms | FewFixedArms) and self.model.knows_arms):
            project(self.projection, contexts, low)
        shown = low.view()
        shown.flags.writeable = False  # kernels are compiled for one mutability
        return shown
