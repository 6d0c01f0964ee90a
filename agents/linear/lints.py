"""LinTS: Thompson sampling with a Gaussian posterior on the linear parameter."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import reject
from agents.numerics.choice import largest
from agents.parts.posterior_sampling import PosteriorSampling, sample_means
from agents.parts.sampling_blocks import play_sampled_block
from agents.search import Log
from banditgym.rounds.blocks import ArmsBlock, SlotsBlock
from banditgym.tasks import LinearTask, NewsTask


@dataclass(kw_only=True, eq=False)
class LinTS(PosteriorSampling):
    r"""Sample a parameter from the posterior and play its best arm.

    With ridge regression :math:`\hat\theta_t, V_t` of the past rounds, round :math:`t` draws

    .. math:: \tilde\theta_t \sim \mathcal{N}(\hat\theta_t, v_t^2 V_t^{-1}), \qquad
        a_t = \arg\max_k \langle x_{t,k}, \tilde\theta_t\rangle, \qquad
        v_t = R \sqrt{9 d \log(t / \delta)}.

    With the factor :math:`V_t = U^\top D U` of the regression (``agents.numerics.ridge.factor``)
    and standard normals :math:`\xi`, the sample is :math:`\hat\theta_t + v_t U^{-1} D^{-1/2} \xi`,
    so that a round costs :math:`O(K d + d^2)` per replicate. Memory: n (d² + 3 d + K) numbers.

    Its definition is ``tests/agents/definitions/linear/lints.py``.

    Parameters
    ----------
    scale : "theory" or float
        ``theory``: the :math:`v_t` above, the paper's; a number >= 0: that constant, in units of
        reward. The paper's is large. A constant near the noise's standard deviation explores less,
        often with less regret.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features. The paper fixes it to 1.
    delta : float
        Probability of failure, in (0, 1).
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant. With 0 the agent is greedy.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms
        The ridge regression: ``theta``, ``gram`` and more.

    References
    ----------
    S. Agrawal, N. Goyal. Thompson Sampling for Contextual Bandits with Linear Payoffs. ICML 2013,
    Algorithm 1; the scale is that of arXiv 1209.3352, version 4.
    """

    accepts: ClassVar = (LinearTask, NewsTask)
    paper: ClassVar = "Agrawal & Goyal 2013, Algorithm 1"
    search: ClassVar = {"scale": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}

    def _start(self) -> None:
        super()._start()
        self._sampled = np.zeros((self.n, self.task.n_arms))

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        model = self.model
        bad = sample_means(
            model.upper, model.pivots, model.moment, self.scales(), self._keys, self.decisions,
            contexts, self._sampled,
        )  # fmt: skip
        reject(bad, "a feature")
        return largest(self._sampled, self.mask)

    def _learn(self, contexts, actions, reward, observed) -> None:
        self.model.update(contexts, actions, reward, observed)
        self._t += observed

    def _play_block(self, block: ArmsBlock | SlotsBlock) -> np.ndarray:
        rounds = block.features.shape[0] if isinstance(block, SlotsBlock) else len(block.noise)
        alike = (self._t == self._t[0]).all()
        learned = self._t[:1] if alike else self._t  # a row of scales for all, or one for each
        scales = self._scales_after(learned[:, None] + np.arange(rounds + 1)).ravel()
        begin = np.arange(len(learned)) * (rounds + 1)
        at_scale, draws = np.broadcast_to(begin, self.n).copy(), (self._keys, self.decisions)
        arms = play_sampled_block(self.model, block, (scales, at_scale), draws, self._sampled)
        self._t += at_scale - begin
        return arms
