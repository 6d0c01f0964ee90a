"""KL-UCB: optimism with the Kullback--Leibler divergence."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.pulls import count_pull
from agents.drivers.rule import choose, learn, withdrawn
from agents.inputs.learning_inputs import check_rewards
from agents.numerics.bernoulli_bounds import bernoulli_bounds
from agents.parts.pulled_arms import PulledArms
from agents.search import Linear
from banditgym.elementary import log
from banditgym.tasks import ArmedTask
from banditgym.validation import nonnegative


@dataclass(kw_only=True, eq=False)
class KLUCB(PulledArms):
    r"""Play every arm once, then the one with the largest KL upper confidence bound.

    With :math:`N_k` pulls and mean reward :math:`\hat\mu_k` of arm k before round :math:`t`,

    .. math:: a_t = \arg\max_k \; \max\{ q : N_k \, d(\hat\mu_k, q) \le
        \log t + c \log\log t \},

    where d is the divergence of Bernoulli distributions, or :math:`(p - q)^2 / (2\sigma^2)` for
    Gaussian rewards. The Gaussian maximum has a closed form; otherwise every arm needs a root
    search. A round costs O(K) per replicate; memory: 2 n K numbers.

    It is for Bernoulli rewards, for all others that lie in [0, 1], the paper's scope, and for
    Gaussian rewards of known deviation. Where it plays by the divergence of Bernoulli
    distributions, it refuses rewards outside of [0, 1].

    Its definition is ``tests/agents/definitions/armed/klucb.py``.

    Parameters
    ----------
    c : float
        The paper's constant, >= 0, without unit. The paper's theorem takes 3 and its authors
        recommend 0, the default. ``log log t`` counts as 0 for t < e, where it is negative.
    noise_std : float, optional
        :math:`\sigma` of Gaussian rewards, in units of reward; the task's if None. Unused for
        Bernoulli rewards; if it is given, others in [0, 1] are played as Gaussian ones.

    Attributes
    ----------
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.

    References
    ----------
    A. Garivier, O. Cappé. The KL-UCB Algorithm for Bounded Stochastic Bandits and Beyond.
    COLT 2011, Algorithm 1.
    """

    paper: ClassVar = "Garivier & Cappé 2011, Algorithm 1"
    search: ClassVar = {"c": Linear(0.0, 3.0)}
    from_task: ClassVar = {"noise_std": lambda task: 0.0 if _in_scope(task) else task.noise_std}

    c: float = 0.0
    noise_std: float | None = None

    def __post_init__(self):
        nonnegative("c", self.c)
        if self.noise_std is not None:
            nonnegative("noise_std", self.noise_std)

    def _start(self) -> None:
        super()._start()
        self._noise_std = float(self.known("noise_std"))

    @property
    def _bernoulli(self) -> bool:
        """Whether the divergence is that of Bernoulli distributions."""
        return self.task.bernoulli or (self.noise_std is None and _in_scope(self.task))

    def _check(self, outcome, observed) -> None:
        if self._bernoulli:
            check_rewards(outcome, observed, binary=False)

    def _rule(self, rounds: int) -> "KLUCBRule":
        counts, law = (self.pulls, self.sums, self._t), (self._bernoulli, self._noise_std)
        n_arms = self.task.n_arms
        return KLUCBRule(*counts, self.c, *law, np.empty((4, n_arms)), np.empty(n_arms, np.bool_))


def _in_scope(task: ArmedTask) -> bool:
    """Whether rewards lie in [0, 1], and no deviation of noise is known."""
    low, high = task.reward_range or (-math.inf, math.inf)
    return task.bernoulli or (task.noise_std is None and low >= 0.0 and high <= 1.0)


class KLUCBRule(NamedTuple):
    """The rule of ``KLUCB``; ``scratch`` is (4, K) and ``moves`` (K,)."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    c: float
    bernoulli: bool
    noise_std: float
    scratch: np.ndarray
    moves: np.ndarray


@choose.of(KLUCBRule)
def _choose(rule, i, t, contexts, mask):
    mean, share, bound = rule.scratch[0], rule.scratch[1], rule.scratch[2]
    level = log(rule.t[i] + 1.0)
    if rule.c > 0.0:
        level += rule.c * log(max(level, 1.0))
    for k in range(mean.shape[0]):
        if withdrawn(mask, i, k):
            mean[k], share[k] = 1.0, 0.0  # without a search, and never played
            continue
        if rule.pulls[i, k] == 0:
            return k
        mean[k] = rule.sums[i, k] / rule.pulls[i, k]
        share[k] = level / rule.pulls[i, k]
    if rule.bernoulli:
        bernoulli_bounds(mean, share, bound, rule.scratch[3], rule.moves)
    else:
        for k in range(mean.shape[0]):
            bound[k] = mean[k] + rule.noise_std * math.sqrt(2.0 * share[k])
    best = -1
    for k in range(mean.shape[0]):
        if not withdrawn(mask, i, k) and (best < 0 or bound[k] > bound[best]):
            best = k
    return best


learn.of(KLUCBRule)(count_pull)
