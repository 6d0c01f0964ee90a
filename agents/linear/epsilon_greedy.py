"""Epsilon-greedy: the arm of the largest estimate, or sometimes a uniform arm."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.drivers.decisions import play_arms
from agents.drivers.rule import choose, learn
from agents.numerics.random_choice import exploring, uniform_slot
from agents.parts.estimators.arm_means import ArmMeans
from agents.parts.optimism import ConstantRadius
from agents.parts.optimistic_rules import FewRule, FixedRule, FreshRule, rule_of
from agents.search import Log
from agents.storage.loadable import Loadable
from banditgym.compiled import compiled, inlined
from banditgym.rounds.blocks import ArmsBlock, MeansBlock, SlotsBlock
from banditgym.streams import AGENT, Stream, uniform_at
from banditgym.tasks import ArmedTask, LinearTask, NewsTask
from banditgym.validation import checked, real, ruled


@dataclass(kw_only=True, eq=False)
class EpsilonGreedy(ConstantRadius):
    r"""Play a uniform arm with probability epsilon, else the arm with the largest estimated reward.

    Where arms have features, it is the arm that ``Greedy`` plays, and cost and memory are those of
    ``Greedy``. In armed tasks arm k has an estimate :math:`Q_k`, and a reward r of it is learned by

    .. math:: Q_k \leftarrow Q_k + \alpha (r - Q_k),

    where :math:`\alpha` is ``step``, or else 1 / N at the arm's N-th reward: :math:`Q_k` is then
    the mean of its rewards. A round then costs O(K) per replicate; memory: 3 n K numbers. It is for
    any rewards; if they are multiplied by a number, so must ``start`` be.

    Its definition is ``tests/agents/definitions/linear/epsilon_greedy.py``.

    Parameters
    ----------
    epsilon : float
        Exploration probability in [0, 1], constant over rounds.
    ridge : float
        :math:`\lambda > 0`, on the scale of the squared features. Unused in armed tasks.
    step : float, optional
        The constant :math:`\alpha` in (0, 1], without unit; for armed tasks alone.
    start : float, optional
        The first :math:`Q_k`, in units of reward; for armed tasks alone. A high one is optimistic:
        with ``step`` and ``epsilon=0`` every arm is played until its estimate has fallen. If None,
        an arm without rewards counts as better than every other.

    Attributes
    ----------
    model : agents.parts.estimators.ridge.FreshArms, or one of agents.parts.estimators.fixed_arms
        The ridge regression; in armed tasks an agents.parts.estimators.arm_means.ArmMeans.

    References
    ----------
    J. Langford, T. Zhang. The Epoch-Greedy Algorithm for Contextual Multi-armed Bandits.
    NeurIPS 2007, for exploration with a fixed budget in contextual bandits.

    R. Sutton, A. Barto. Reinforcement Learning: An Introduction. 2nd edition, MIT Press 2018,
    sections 2.2 to 2.6, for arms: a constant step and an optimistic start are those of Figure 2.3.
    """

    accepts: ClassVar = (LinearTask, NewsTask, ArmedTask)
    paper: ClassVar = "baseline"
    loadable: ClassVar = {"step start": Loadable(added=True)}
    search: ClassVar = {"epsilon": Log(0.001, 0.5), "ridge": Log(0.01, 100.0)}

    alpha: ClassVar[float] = 0.0  # pyright: ignore[reportIncompatibleVariableOverride]
    epsilon: float = checked(
        ruled(lambda x: 0 <= x <= 1, "is a probability and must be in [0, 1]"), 0.1
    )
    ridge: float = 1.0
    step: float | None = checked(ruled(lambda x: 0 < x <= 1, "must be in (0, 1]"), None)
    start: float | None = checked(real, None)

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        if reason is None and not (isinstance(task, ArmedTask) or self.step is self.start is None):
            return "step and start are for armed tasks"
        return reason

    def _start(self) -> None:
        if isinstance(self.task, ArmedTask):
            self.model = ArmMeans.initial(self.n, self.task.n_arms, self.step, self.start)
            self._radius = np.zeros(self.n)
        else:
            super()._start()
        self._keys = Stream(self.seeds, AGENT, 0, 0).keys

    def _choose(self, contexts: np.ndarray) -> np.ndarray:
        arms = super()._choose(contexts)
        mask = np.ones((1, self.task.n_arms), bool) if self.mask is None else self.mask
        _explore_each(self._keys, self.decisions, self.epsilon, mask, arms)
        return arms

    def _propensities(self, contexts: np.ndarray) -> np.ndarray:
        return exploring(super()._choose(contexts), self.epsilon, self._available())

    def _estimate(self, contexts: np.ndarray, actions: np.ndarray) -> np.ndarray:
        expected = super()._estimate(contexts, actions)
        return np.where(expected == np.inf, np.nan, expected)

    def _play_block(self, block: MeansBlock | SlotsBlock) -> np.ndarray:
        greedy, together = self.model, self.n
        if isinstance(block, ArmsBlock | SlotsBlock):
            greedy, together = rule_of(self.model, block.features[0], self._radius)
        mask = np.ones((1, self.task.n_arms), bool)
        rule = EpsilonGreedyRule(greedy, self._keys, self.decisions, self.epsilon, mask)
        return play_arms(rule, block, together)


class EpsilonGreedyRule(NamedTuple):
    """The rule of ``EpsilonGreedy``; ``every`` (1, K) is the mask of all arms."""

    greedy: FreshRule | FixedRule | FewRule | ArmMeans
    keys: np.ndarray
    decisions: np.ndarray
    epsilon: float
    every: np.ndarray


@choose.of(EpsilonGreedyRule)
def _choose(rule, i, t, contexts, mask):
    arm = choose(rule.greedy, i, t, contexts, mask)
    if arm < 0:
        return arm
    decision = rule.decisions[i] + t
    return _explore(rule.keys, i, decision, rule.epsilon, rule.every if mask is None else mask, arm)


@learn.of(EpsilonGreedyRule)
def _learn(rule, i, contexts, arm, reward):
    return learn(rule.greedy, i, contexts, arm, reward)


@compiled
def _explore_each(keys, t, epsilon, mask, arms):
    for i in range(arms.shape[0]):
        arms[i] = _explore(keys, i, t[i], epsilon, mask, arms[i])


@inlined
def _explore(keys, i, decision, epsilon, mask, arm):
    """A uniform arm of a mask (n, K), or (1, K) of all, with probability ``epsilon``; else arm."""
    k0, k1 = keys[i, 0], keys[i, 1]
    if uniform_at(k0, k1, decision, 0) < epsilon:
        return uniform_slot(mask[i % mask.shape[0]], uniform_at(k0, k1, decision, 1))
    return arm
