"""Base classes of agents that draw random numbers to choose an arm."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from agents.agent import Agent
from agents.drivers.decisions import RuleAgent, choose_each, learn_each
from agents.open_decisions import OpenDecisions
from agents.parts.bounded_arms import check_range, range_refusal
from agents.parts.pulled_arms import PulledArms
from banditgym.compiled import inlined
from banditgym.streams import AGENT, Stream, uniform_at
from banditgym.tasks import ArmedTask
from banditgym.validation import checked, positive

_LEAST = 1e-300  # probability that a reward is divided by


class DrawingArms(PulledArms):
    """An agent of K arms that draws random numbers to choose."""

    _propensities = Agent._propensities  # its subclasses define their own

    def _start(self) -> None:
        super()._start()
        self._keys = Stream(self.seeds, AGENT, 0, 0).keys


@dataclass(kw_only=True, eq=False)
class DrawnArms(RuleAgent):
    r"""An agent of K arms that draws one from its probabilities, and estimates every arm's loss.

    Rewards are bounded, and a loss is the distance to the largest one, scaled to [0, 1] by the
    task's ``reward_range``. The probabilities of every decision are kept until its reward is
    observed, because they weight the reward. The rule of a subclass has the field ``arms``, which
    are ``Arms``, and its ``choose`` ends with ``drawn``.

    Parameters
    ----------
    scale : float
        A factor of the learning rate, > 0; 1 is the rate of the analysis.

    Attributes
    ----------
    losses : ndarray of shape (n, K)
        The estimated sum of every arm's losses.
    open : agents.open_decisions.OpenDecisions
        The probabilities of every decision without a reward so far.
    """

    accepts: ClassVar = (ArmedTask,)
    scope: ClassVar = "bounded rewards"

    scale: float = checked(positive, 1.0)

    def refusal(self, task: Any) -> str | None:
        return super().refusal(task) or range_refusal(task)

    def _start(self) -> None:
        shape = self.n, self.task.n_arms
        self.losses, self._t = np.zeros(shape), np.zeros(self.n, np.int64)  # rewards learned
        self._keys = Stream(self.seeds, AGENT, 0, 0).keys
        self.open = OpenDecisions.initial(self.n, 2, self.task.n_arms, np.float64)

    def _choose(self, contexts) -> np.ndarray:
        rule = self._rule(1)
        arms = choose_each(rule, self.n, contexts, None)
        self.open.open(self.decisions, rule.arms.probabilities)
        return arms

    def _take_propensities(self, propensities: np.ndarray) -> None:
        """Keep the probabilities (n, K) by which another policy makes the coming decision."""
        self.open.open(self.decisions, propensities)

    def _propensities(self, contexts) -> np.ndarray:
        rule = self._rule(1)
        choose_each(rule, self.n, contexts, None)  # which writes them
        return rule.arms.probabilities

    def _learn(self, contexts, actions, outcome, observed) -> None:
        kept, known = self.open.of(self.decisions, self.answered, observed)
        check_range(self.task, outcome, observed)
        rule = self._rule(1)
        # Another player may have played an arm that would never be drawn.
        rule.arms.probabilities[:] = np.maximum(kept, _LEAST)
        learn_each(rule, contexts, actions, outcome, known)
        self.open.close(self.decisions, self.answered, observed)

    _play_block = RuleAgent._play_block

    def _arms(self) -> "Arms":
        low, high = self.task.reward_range
        state = self.losses, self._t, self._keys, self.decisions
        return Arms(*state, np.empty_like(self.losses), float(high), float(high - low) or 1.0)


class Arms(NamedTuple):
    """The state of ``DrawnArms``; ``probabilities`` (n, K) are those of the last decision."""

    losses: np.ndarray
    t: np.ndarray
    keys: np.ndarray
    decisions: np.ndarray
    probabilities: np.ndarray
    high: float
    width: float


@inlined
def drawn(arms, i, t):
    """An arm of replicate i, in round t of a rule, drawn from its probabilities."""
    u = uniform_at(arms.keys[i, 0], arms.keys[i, 1], arms.decisions[i] + t, 0)
    last = 0
    for k in range(arms.probabilities.shape[1]):
        if arms.probabilities[i, k] > 0.0:
            last = k
            u -= arms.probabilities[i, k]
            if u < 0.0:
                return k
    return last


@inlined
def loss_of(arms, reward):
    """The loss of a reward, in [0, 1]."""
    return (arms.high - reward) / arms.width


@inlined
def least_loss(losses):
    """The smallest of losses (K,)."""
    least = losses[0]
    for k in range(1, losses.shape[0]):
        least = min(least, losses[k])
    return least
