"""Thompson sampling with Beta posteriors."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.pulls import count_pull
from agents.drivers.rule import choose, learn, withdrawn
from agents.inputs.learning_inputs import check_rewards
from agents.numerics.largest_sample import largest_beta
from agents.parts.bounded_arms import BernoulliArms
from agents.parts.drawn_arms import DrawingArms
from banditgym.streams import beta_at


@dataclass(kw_only=True, eq=False)
class BetaThompson(BernoulliArms, DrawingArms):
    r"""Sample every arm's mean from its posterior and play the largest sample.

    With :math:`S_k` successes and :math:`F_k` failures of arm k before round :math:`t`,

    .. math:: \theta_k \sim \mathrm{Beta}(1 + S_k, 1 + F_k), \qquad a_t = \arg\max_k \theta_k.

    A round costs O(K) per replicate; memory: 2 n K numbers. Rewards must be Bernoulli.

    Its definition is ``tests/agents/definitions/armed/beta_thompson.py``.

    Attributes
    ----------
    pulls : ndarray of shape (n, K)
    sums : ndarray of shape (n, K)
        Number of pulls and of successes of every arm.

    References
    ----------
    S. Agrawal, N. Goyal. Analysis of Thompson Sampling for the Multi-armed Bandit Problem.
    COLT 2012, Algorithm 1.
    """

    paper: ClassVar = "Agrawal & Goyal 2012, Algorithm 1"
    search: ClassVar = None
    needs_bernoulli: ClassVar = "its posterior is for Bernoulli rewards"

    def _check(self, outcome, observed) -> None:
        check_rewards(outcome, observed)

    def _rule(self, rounds: int) -> "BetaThompsonRule":
        return BetaThompsonRule(self.pulls, self.sums, self._t, self._keys, self.decisions)

    def _propensities(self, contexts) -> np.ndarray:
        wins, losses = self.sums, self.pulls - self.sums
        return largest_beta(1.0 + wins, 1.0 + losses, self._available())


class BetaThompsonRule(NamedTuple):
    """The rule of ``BetaThompson``."""

    pulls: np.ndarray
    sums: np.ndarray
    t: np.ndarray
    keys: np.ndarray
    decisions: np.ndarray


@choose.of(BetaThompsonRule)
def _choose(rule, i, t, contexts, mask):
    k0, k1, decision = rule.keys[i, 0], rule.keys[i, 1], rule.decisions[i] + t
    best, arm = -1.0, 0
    for k in range(rule.pulls.shape[1]):
        if withdrawn(mask, i, k):
            continue
        wins = rule.sums[i, k]
        losses = rule.pulls[i, k] - wins
        sample = beta_at(k0, k1, decision, k, 1.0 + wins, 1.0 + losses)
        if sample > best:
            best, arm = sample, k
    return arm


learn.of(BetaThompsonRule)(count_pull)
