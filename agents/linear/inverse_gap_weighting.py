"""InverseGapWeighting: SquareCB's rule, with ridge regression as its oracle."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.decisions import choose_each, play_arms
from agents.drivers.rule import choose, learn
from agents.numerics.random_choice import inverse_gap, inverse_gap_weights
from agents.parts.optimism import ConstantRadius
from agents.parts.optimistic_rules import FewRule, FixedRule, FreshRule, rule_of
from agents.search import Log
from banditgym.elementary import each_power, power
from banditgym.rounds.blocks import ArmsBlock, SlotsBlock
from banditgym.streams import AGENT, Stream, uniform_at
from banditgym.tasks import LinearTask, NewsTask
from banditgym.validation import nonnegative, positive


@dataclass(kw_only=True, eq=False)
class InverseGapWeighting(ConstantRadius):
    r"""Draw arms with probabilities inverse to their estimated gaps to the best arm.

    With the ridge estimate :math:`\hat\theta_t` of the past rounds, :math:`f_k = \langle x_{t,k},
    \hat\theta_t \rangle`, and b the first arm with the largest :math:`f_k`, round :math:`t` draws
    its arm from

    .. math:: p_k = \frac{1}{K + \gamma_t (f_b - f_k)} \quad (k \ne b), \qquad
        p_b = 1 - \sum_{k \ne b} p_k, \qquad \gamma_t = c \, t^\rho.

    If some arms are not available, K counts those that are. Cost and memory are those of
    ``LinUCB``.

    Its definition is ``tests/agents/definitions/linear/inverse_gap_weighting.py``.

    Parameters
    ----------
    gamma_scale : float
        c > 0, in units of one over the reward.
    gamma_exponent : float
        :math:`\rho \ge 0`, without unit.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms, or one of agents.parts.estimators.fixed_arms
        The ridge regression: ``theta``, ``gram`` and more.

    Notes
    -----
    The rule and the defaults of :math:`\gamma_t` were read in Vowpal Wabbit's
    ``cb_explore_adf_squarecb``, which cites the paper; t counts from 0 there. The paper takes any
    oracle of online regression and a constant :math:`\gamma` that needs the horizon and a bound on
    the oracle's regret. Its rewards are in [0, 1]; here they have any scale, and predictions are
    not clipped.

    References
    ----------
    D. Foster, A. Rakhlin. Beyond UCB: Optimal and Efficient Contextual Bandits with Regression
    Oracles. ICML 2020, Algorithm 1.
    """

    accepts: ClassVar = (LinearTask, NewsTask)
    paper: ClassVar = "Foster & Rakhlin 2020, Algorithm 1, with ridge regression"
    search: ClassVar = {"gamma_scale": Log(0.1, 1000.0), "ridge": Log(0.01, 100.0)}

    alpha: ClassVar[float] = 0.0  # pyright: ignore[reportIncompatibleVariableOverride]
    gamma_scale: float = 10.0
    gamma_exponent: float = 0.5
    ridge: float = 1.0

    def __post_init__(self):
        positive("gamma_scale", self.gamma_scale)
        nonnegative("gamma_exponent", self.gamma_exponent)
        super().__post_init__()

    def _start(self) -> None:
        super()._start()
        self._keys = Stream(self.seeds, AGENT, 0, 0).keys
        self._t = np.zeros(self.n, np.int64)  # rewards learned

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        if self.task.n_arms == 1:  # there is nothing to draw
            return super()._choose(contexts)
        return choose_each(self._rule(contexts)[0], self.n, contexts, self.mask)

    def _propensities(self, contexts: np.ndarray) -> np.ndarray:
        self._choose(contexts)  # which predicts the rewards
        gamma = self.gamma_scale * each_power(self._t + 1.0, self.gamma_exponent)
        return inverse_gap_weights(self.model.mean, gamma, self._available())

    def _learn(self, contexts, actions, reward, observed) -> None:
        super()._learn(contexts, actions, reward, observed)
        self._t += observed

    def _play_block(self, block: ArmsBlock | SlotsBlock) -> np.ndarray:
        rule, together = self._rule(block.features[0])
        return play_arms(rule, block, together)

    def _rule(self, features: np.ndarray) -> tuple["InverseGapRule", int]:
        """The rule, and how many replicates play together."""
        greedy, together = rule_of(self.model, features, self._radius)
        gamma = float(self.gamma_scale), float(self.gamma_exponent), self._t
        return InverseGapRule(greedy, gamma, self._keys, self.decisions), together


class InverseGapRule(NamedTuple):
    """The rule of ``InverseGapWeighting``; ``greedy`` predicts the rewards, and learns them.

    ``gamma`` has its scale, its exponent, and the numbers of rewards learned (n,).
    """

    greedy: FreshRule | FixedRule | FewRule
    gamma: tuple[float, float, np.ndarray]
    keys: np.ndarray
    decisions: np.ndarray


@choose.of(InverseGapRule)
def _choose(rule, i, t, contexts, mask):
    if choose(rule.greedy, i, t, contexts, mask) < 0:
        return -1
    scale, exponent, learned = rule.gamma
    gamma = scale * power(learned[i] + 1.0, exponent)
    u = uniform_at(rule.keys[i, 0], rule.keys[i, 1], rule.decisions[i] + t, 0)
    return inverse_gap(rule.greedy.model.mean[i], gamma, u, None if mask is None else mask[i])


@learn.of(InverseGapRule)
def _learn(rule, i, contexts, arm, reward):
    rule.gamma[2][i] += 1
    return learn(rule.greedy, i, contexts, arm, reward)
