"""LinTS: Thompson sampling with a Gaussian posterior on the linear parameter."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.decisions import choose_each, play_arms
from agents.drivers.frequencies import DRAWS, draw_apart, frequencies_by_rule
from agents.drivers.rule import choose, first_largest_there, learn
from agents.numerics.ridge.factor import absorb_checked
from agents.parts.estimators.ridge import FreshArms
from agents.parts.posterior_sampling import PosteriorSampling, draw_parameter
from agents.search import Log
from banditgym.linalg.product import combine_rows
from banditgym.rounds.blocks import ArmsBlock, SlotsBlock
from banditgym.streams import fill_normals_of_rounds
from banditgym.tasks import LinearTask, NewsTask

_NORMALS = 1 << 12  # drawn at once, which stay in a processor's first cache beside the states


@dataclass(kw_only=True, eq=False)
class LinTS(PosteriorSampling):
    r"""Sample a parameter from the posterior and play its best arm.

    With ridge regression :math:`\hat\theta_t, V_t` of the past rounds, round :math:`t` draws

    .. math:: \tilde\theta_t \sim \mathcal{N}(\hat\theta_t, v_t^2 V_t^{-1}), \qquad
        a_t = \arg\max_k \langle x_{t,k}, \tilde\theta_t\rangle.

    With the factor :math:`V_t = U^\top D U` of the regression (``agents.numerics.ridge.factor``)
    and standard normals :math:`\xi`, the sample is :math:`\hat\theta_t + v_t U^{-1} D^{-1/2} \xi`,
    so that a round costs :math:`O(K d + d^2)` per replicate. Memory: n (d² + 3 d + K) numbers.

    Its definition is ``tests/agents/definitions/linear/lints.py``.

    Parameters
    ----------
    scale : "posterior", "theory" or float
        :math:`v_t`. ``posterior``: R, which draws from the posterior if the noise is normal and the
        prior is :math:`\mathcal{N}(0, (R^2 / \lambda) I)`; ``theory``: :math:`R \sqrt{9 d \log(t /
        \delta)}`, which the paper's theorem needs; a number >= 0: that constant, in units of
        reward. With 20 arms, 10 features, noise 0.5 and 10 000 rounds the mean regret is 96 with
        ``posterior``, 3507 with ``theory``, and 55 for LinUCB.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features. The paper fixes it to 1.
    delta : float
        Probability of failure of ``theory``, in (0, 1).
    noise_std : float, optional
        R, the sub-Gaussian constant of the noise in units of reward; the task's if None, or its
        standard deviation where the noise has no such constant. With 0, and a ``scale`` that is a
        name, the agent is greedy.

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
    follows_masks: ClassVar = True
    paper: ClassVar = "Agrawal & Goyal 2013, Algorithm 1"
    exact_propensities: ClassVar = False
    search: ClassVar = {"scale": Log(0.01, 10.0), "ridge": Log(0.01, 100.0)}

    def _start(self) -> None:
        super()._start()
        self._sampled = np.zeros((self.n, self.task.n_arms))

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        rule = self._rule(1, (self.scales(), np.arange(self.n)))
        return choose_each(rule, self.n, contexts, self.mask)

    def _propensities(self, contexts: np.ndarray) -> np.ndarray:
        self._keys = draw_apart(self)
        rule = self._rule(DRAWS, (self.scales(), np.arange(self.n)))
        return frequencies_by_rule(self, rule, contexts)

    def _learn(self, contexts, actions, reward, observed) -> None:
        self.model.update(contexts, actions, reward, observed)
        self._t += observed

    def _play_block(self, block: ArmsBlock | SlotsBlock) -> np.ndarray:
        rounds = block.features.shape[0] if isinstance(block, SlotsBlock) else len(block.noise)
        alike = (self._t == self._t[0]).all()
        learned = self._t[:1] if alike else self._t  # a row of scales for all, or one for each
        scales = self._scales_after(learned[:, None] + np.arange(rounds + 1)).ravel()
        begin = np.arange(len(learned)) * (rounds + 1)
        at_scale = np.broadcast_to(begin, self.n).copy()
        arms = play_arms(self._rule(rounds, (scales, at_scale)), block, self.n)
        self._t += at_scale - begin
        return arms

    def _rule(self, rounds: int, scales: tuple[np.ndarray, np.ndarray]) -> "LinTSRule":
        """``scales`` are an array (c,), and each replicate's place in it (n,).

        The place rises by 1 with each reward that the replicate learns.
        """
        n, dim = self.n, self.task.dim
        some = min(rounds, max(1, _NORMALS // (n * dim)))
        draws = self._keys.ravel(), self.decisions.copy(), np.empty((2, max(some, n)))
        scratch = np.empty((some, n, dim)), self._sampled, (np.empty(dim), np.empty(dim))
        return LinTSRule(self.model, *scales, draws, *scratch)


class LinTSRule(NamedTuple):
    """The rule of ``LinTS``; the last three fields are overwritten.

    ``draws`` are what ``fill_normals_of_rounds`` takes, and ``normals`` (m, n, d) are drawn for m
    rounds of all replicates, which play each round together.
    """

    model: FreshArms
    scales: np.ndarray
    at_scale: np.ndarray
    draws: tuple[np.ndarray, np.ndarray, np.ndarray]
    normals: np.ndarray
    sampled: np.ndarray
    scratch: tuple[np.ndarray, np.ndarray]


@choose.of(LinTSRule)
def _choose(rule, i, t, contexts, mask):
    model, normals, parameter, means = rule.model, rule.normals, rule.scratch[0], rule.sampled[i]
    s = t % normals.shape[0]
    if s == 0 and i == 0:
        words, at, pairs = rule.draws
        fill_normals_of_rounds(words, at, pairs, normals)
    factor, scale = (model.upper, model.pivots, model.moment), rule.scales[rule.at_scale[i]]
    draw_parameter(factor, i, scale, normals[s, i], parameter)
    combine_rows(parameter, contexts[i], means)
    bad = 0
    for k in range(means.shape[0]):
        bad += not math.isfinite(means[k])  # not finite if a feature was not
    if bad > 0:
        return -1
    return first_largest_there(means, mask, i)


@learn.of(LinTSRule)
def _learn(rule, i, contexts, arm, reward):
    model = rule.model
    factor = model.upper, model.pivots, model.moment
    learned = absorb_checked(factor, model.ridge, contexts, i, arm, reward, rule.scratch)
    rule.at_scale[i] += learned
    return learned
