"""Top-two Thompson sampling: the arm of one posterior sample, or of another that differs."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.agent import Agent
from agents.drivers.rule import choose, first_largest, learn
from agents.inputs.learning_inputs import check_rewards
from agents.numerics.transport_costs import best_mean, cheapest, is_clear
from agents.parts.best_arm_agent import FixedConfidence, count
from agents.search import Linear
from banditgym.compiled import inlined
from banditgym.streams import AGENT, Stream, beta_at, normal_at, uniform_at
from banditgym.validation import positive, real

_MOST = 1000  # samples in a decision


@dataclass(kw_only=True, eq=False)
class TopTwoThompson(FixedConfidence):
    r"""Sample all means until two samples have different largest arms, and pull one of the two.

    Every arm is pulled once. Then :math:`\theta_k` is drawn for every arm from its posterior:
    :math:`\mathrm{Beta}(1 + S_k, 1 + F_k)` with :math:`S_k` successes and :math:`F_k` failures of
    Bernoulli rewards, else :math:`\mathcal{N}(\hat\mu_k, \sigma^2 / N_k)` with :math:`N_k` pulls
    and mean reward :math:`\hat\mu_k`, and :math:`I = \arg\max_k \theta_k`. With probability
    :math:`\beta` I is pulled. Else further samples are drawn until another arm than I has the
    largest, which is pulled. Stop as soon as, with t rewards and the arm :math:`\hat\imath` of the
    largest mean reward, which is recommended,

    .. math:: \min_{k \ne \hat\imath} N_{\hat\imath} \, d(\hat\mu_{\hat\imath}, m_k)
        + N_k \, d(\hat\mu_k, m_k) > \log \frac{1 + \log t}{\delta}, \qquad
        m_k = \frac{N_{\hat\imath} \hat\mu_{\hat\imath} + N_k \hat\mu_k}{N_{\hat\imath} + N_k},

    where d is the divergence of Bernoulli distributions, or :math:`(p - q)^2 / (2 \sigma^2)`. A
    sample costs O(K) per replicate, and a round about :math:`1 + (1 - \beta) / p` samples, if I
    has the largest with probability 1 - p; memory: 2 n K numbers.

    Its definition is ``tests/agents/definitions/best_arm/top_two_thompson.py``.

    Parameters
    ----------
    beta : float
        The probability :math:`\beta` of pulling the first arm, in (0, 1).
    noise_std : float, optional
        :math:`\sigma` of Gaussian rewards in units of reward, or the constant of sub-Gaussian
        ones; the task's if None. Unused for Bernoulli rewards.

    Attributes
    ----------
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.
    done : bool ndarray of shape (n,)
        Which replicates have finished.

    Notes
    -----
    Sampling and stopping rule are those of E. Kaufmann's code (ChernoffTTTS, earlier ChernoffPTS):
    with the same rewards and draws a transcription of it makes the same decisions and stops in the
    same round. Russo's paper has no stopping rule. No theorem covers this threshold, which is that
    of experiments. Of 10,000 runs each on three problems at delta = 0.1, at most 0.4 % erred.

    Departs from the code: after 1,000 samples that all have I as their largest, the arm with the
    least sum in the stopping rule is pulled. Gaussian rewards, which the code does not have, get
    the posterior of a flat prior, as in BestArm.jl.

    References
    ----------
    D. Russo. Simple Bayesian Algorithms for Best Arm Identification. COLT 2016.

    A. Garivier, E. Kaufmann. Optimal Best Arm Identification with Fixed Confidence. COLT 2016: the
    stopping rule.
    """

    paper: ClassVar = "Russo 2016, top-two Thompson sampling"
    search: ClassVar = {"beta": Linear(0.1, 0.9)}
    scope: ClassVar = "best arm, given confidence"

    beta: float = 0.5

    def __post_init__(self):
        if not 0.0 < real("beta", self.beta) < 1.0:
            raise ValueError(f"beta must lie in (0, 1), got {self.beta}")
        if self.noise_std is not None:
            positive("noise_std", self.noise_std)

    def _start(self) -> None:
        super()._start()
        self._keys = Stream(self.seeds, AGENT, 0, 0).keys
        self._coins = Stream(self.seeds, AGENT, 1, 0).keys

    _propensities = Agent._propensities  # not those of its base class, which draws nothing

    def _check(self, outcome, observed) -> None:
        if self.task.bernoulli:
            check_rewards(outcome, observed)

    def _rule(self, rounds: int) -> "TopTwoThompsonRule":
        counts, draws = (self.pulls, self.sums, self._t), (self._keys, self._coins, self.decisions)
        noise_std = 0.0 if self.task.bernoulli else float(self.known("noise_std"))
        given = self.done, self.beta, noise_std, self.task.delta
        return TopTwoThompsonRule(*counts, *draws, *given, np.empty(self.task.n_arms))


class TopTwoThompsonRule(NamedTuple):
    """The rule of ``TopTwoThompson``; ``noise_std`` is 0 for Bernoulli rewards."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    keys: np.ndarray
    coins: np.ndarray
    decisions: np.ndarray
    done: np.ndarray
    beta: float
    noise_std: float
    delta: float
    scratch: np.ndarray


@inlined
def _sampled(rule, i, t, number):
    """The arm with the largest mean in a sample, of which a decision has several."""
    k0, k1, n_arms = rule.keys[i, 0], rule.keys[i, 1], rule.scratch.shape[0]
    for k in range(n_arms):
        index, pulls, total = number * n_arms + k, rule.pulls[i, k], rule.sums[i, k]
        if rule.noise_std > 0.0:
            normal = normal_at(k0, k1, t, index)
            rule.scratch[k] = total / pulls + rule.noise_std / math.sqrt(pulls) * normal
        else:
            rule.scratch[k] = beta_at(k0, k1, t, index, 1.0 + total, 1.0 + pulls - total)
    return first_largest(rule.scratch)


@choose.of(TopTwoThompsonRule)
def _choose(rule, i, t, contexts, mask):
    for k in range(rule.pulls.shape[1]):
        if rule.pulls[i, k] == 0:
            return k
    if rule.done[i] or rule.pulls.shape[1] == 1:
        return best_mean(rule.pulls, rule.sums, i)
    decision = rule.decisions[i] + t
    first = _sampled(rule, i, decision, 0)
    if uniform_at(rule.coins[i, 0], rule.coins[i, 1], decision, 0) < rule.beta:
        return first
    for number in range(1, _MOST):
        other = _sampled(rule, i, decision, number)
        if other != first:
            return other
    return cheapest(rule.pulls, rule.sums, i, first, rule.noise_std)[0]


@learn.of(TopTwoThompsonRule)
def _learn(rule, i, contexts, arm, reward):
    count(rule, i, contexts, arm, reward)
    rule.done[i] = is_clear(rule.pulls, rule.sums, i, rule.delta, rule.noise_std)
    return True
