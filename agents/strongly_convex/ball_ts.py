"""BallTS: Thompson sampling on sets of points."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.parts.posterior_sampling import PosteriorSampling, sample_parameters
from agents.search import Log
from banditgym.tasks import ConvexSetTask


@dataclass(kw_only=True, eq=False)
class BallTS(PosteriorSampling):
    r"""Sample a parameter from the posterior and play its best point of the set.

    With ridge regression :math:`\hat\theta_t, V_t` of the past points, round :math:`t` draws

    .. math:: \tilde\theta_t \sim \mathcal{N}(\hat\theta_t, v_t^2 V_t^{-1}), \qquad
        x_t = \arg\max_{x \in \mathcal{D}} \langle x, \tilde\theta_t\rangle.

    It is ``LinTS`` with a set of points in place of arms, for every set with an ``argmax``. A round
    costs O(d²) per replicate. Memory: n (d² + 3 d) numbers.

    Its definition is ``tests/agents/definitions/strongly_convex/ball_ts.py``.

    Parameters
    ----------
    scale : "posterior", "theory" or float
        :math:`v_t`, as in ``LinTS``. ``posterior``: R; ``theory``: :math:`R \sqrt{9 d \log(t /
        \delta)}`, which the paper's theorem needs; a number >= 0: that constant, in units of
        reward.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared points. The paper fixes it to 1.
    delta : float
        Probability of failure of ``theory``, in (0, 1).
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant. With 0, and a ``scale`` that is a
        name, the agent is greedy, and on a ball it always plays the centre.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms
        The ridge regression: ``theta``, ``gram`` and more.

    Notes
    -----
    The paper has finitely many arms in a round. Its scale does not depend on their number.

    References
    ----------
    S. Agrawal, N. Goyal. Thompson Sampling for Contextual Bandits with Linear Payoffs. ICML 2013,
    Algorithm 1; the scale is that of arXiv 1209.3352, version 4.
    """

    accepts: ClassVar = (ConvexSetTask,)
    paper: ClassVar = "Agrawal & Goyal 2013, Algorithm 1"
    search: ClassVar = {"scale": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}

    def _choose(self, contexts) -> np.ndarray:
        model, sampled = self.model, np.empty((self.n, self.task.dim))
        factor, stream = (model.upper, model.pivots, model.moment), (self._keys, self.decisions)
        sample_parameters(*factor, self.scales(), *stream, sampled)
        return self.task.action_set.argmax(sampled)

    def _learn(self, contexts, actions, reward, observed) -> None:
        points, only = actions[:, :, None], np.zeros(self.n, np.int64)
        self.model.update(points, only, reward, observed)
        self._t += observed
