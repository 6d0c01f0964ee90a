"""The base class of agents of K arms that keep the pulls and the rewards of each."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agents.agent import Agent, noise_level
from agents.drivers.decisions import RuleAgent
from agents.drivers.rule import withdrawn
from agents.inputs.learning_inputs import check_rewards
from banditgym.compiled import by_class, inlined
from banditgym.streams import AGENT, Stream
from banditgym.tasks import ArmedTask


@dataclass(kw_only=True, eq=False)
class PulledArms(RuleAgent):
    """An agent of K arms that estimates an arm's mean reward as ``sums / pulls``.

    Attributes
    ----------
    pulls, sums : ndarray of shape (n, K)
        Number of pulls and sum of rewards of every arm.
    """

    accepts: ClassVar = (ArmedTask,)
    follows_masks: ClassVar = True

    def _start(self) -> None:
        self.pulls = np.zeros((self.n, self.task.n_arms), np.int64)
        self.sums = np.zeros((self.n, self.task.n_arms))
        self._t = np.zeros(self.n, np.int64)  # rewards learned

    _propensities = RuleAgent.one_hot

    def _estimate(self, contexts, actions) -> np.ndarray:
        each = np.arange(self.n)
        pulls, unknown = self.pulls[each, actions], np.full(self.n, np.nan)
        return np.divide(self.sums[each, actions], pulls, out=unknown, where=pulls > 0)


class DrawingArms(PulledArms):
    """An agent of K arms that draws random numbers to choose."""

    _propensities = Agent._propensities  # its subclasses define their own

    def _start(self) -> None:
        super()._start()
        self._keys = Stream(self.seeds, AGENT, 0, 0).keys


class BernoulliArms(PulledArms):
    """An agent of K arms for rewards that are 0 or 1."""

    scope: ClassVar = "Bernoulli rewards"
    needs_bernoulli: ClassVar[str]  # what of it is only for such rewards

    def refusal(self, task) -> str | None:
        reason = super().refusal(task)
        if reason is None and not task.bernoulli:
            return f"{self.needs_bernoulli}, and the task's are not Bernoulli"
        return reason


class ScaledArms(PulledArms):
    """An agent of K arms on the scale of the noise: its ``noise_std``, or the task's if None."""

    from_task: ClassVar = {"noise_std": noise_level}

    noise_std: float | None

    def _start(self) -> None:
        super()._start()
        self._noise_std = float(self.known("noise_std"))


class DivergenceArms(ScaledArms):
    """An agent of K arms by the divergence of Bernoulli laws, or else of normal ones."""

    def _check(self, outcome, observed) -> None:
        if self.task.bernoulli:
            check_rewards(outcome, observed, binary=False)


def count_pull(rule, i, contexts, arm, reward):
    """``agents.drivers.rule.learn`` of rules with the fields ``pulls``, ``sums`` and ``t``."""
    rule.pulls[i, arm] += 1
    rule.sums[i, arm] += reward
    rule.t[i] += 1
    return True


count = inlined(count_pull)  # as a rule's own ``learn`` calls it


@by_class
def index(rule, i, k, pulls, level):
    """The index of arm k of replicate i, which was pulled; ``level`` is what all its arms share."""


@inlined
def largest_index(rule, i, mask, level):
    """The first arm without a pull, else that of the largest index; ties go to the lowest."""
    best = arm = -1  # no arm so far
    for k in range(rule.pulls.shape[1]):
        if withdrawn(mask, i, k):
            continue
        pulls = rule.pulls[i, k]
        if pulls == 0:
            return k
        value = index(rule, i, k, pulls, level)
        if arm < 0 or value > best:
            best, arm = value, k
    return arm
