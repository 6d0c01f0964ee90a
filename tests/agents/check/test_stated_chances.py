"""check_agent says what is wrong with propensities, also after late rewards."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import agents
from agents.check.short_runs import Trial
from agents.check.stated_chances import check_propensities
from agents.numerics.random_choice import exploring
from banditgym.tasks import ArmedTask

ARMS = {"n_arms": 4}


def check(agent):
    check_propensities(Trial(agent, "ArmedBandit-v0", ARMS))


class Scaled(agents.EpsilonGreedy):
    def _propensities(self, contexts):
        return super()._propensities(contexts) * (1 + 1e-9)


class Negative(agents.EpsilonGreedy):
    def _propensities(self, contexts):
        p = super()._propensities(contexts)
        p[:, 0], p[:, 1] = p[:, 0] + 2.0, p[:, 1] - 2.0
        return p


class Narrow(agents.EpsilonGreedy):
    def _propensities(self, contexts):
        return super()._propensities(contexts)[:, :-1]


class Bolder(agents.EpsilonGreedy):
    def _propensities(self, contexts):
        p = super()._propensities(contexts)
        return 0.9 * p + 0.1 * p.mean(axis=1, keepdims=True)


class Certain(agents.EpsilonGreedy):
    _propensities = agents.Agent.one_hot


class Shifted(agents.Softmax):
    def _propensities(self, contexts):
        return np.roll(super()._propensities(contexts), 1, axis=1)


class Counts(agents.UCB1):
    def propensities(self, observation):
        self.sums = self.sums + 1e-9
        return super().propensities(observation)


class Advances(agents.EpsilonGreedy):
    def propensities(self, observation):
        self.decisions += 1
        return super().propensities(observation)


@dataclass(kw_only=True, eq=False)
class Forgetful(agents.Agent):
    """Plays uniformly, and says so, until rewards come that are late: then it plays the first arm.

    Its propensities do not follow.
    """

    accepts: ClassVar = (ArmedTask,)

    def _start(self):
        self.late = np.zeros(self.n, bool)
        self.keys = agents.UniformRandom().reset(self.task, n=self.n, seed=self.seeds)._keys

    def _choose(self, contexts):
        uniform = agents.UniformRandom().reset(self.task, n=self.n, seed=self.seeds)
        uniform.decisions[:] = self.decisions
        return np.where(self.late, 0, uniform._choose(contexts))

    def _propensities(self, contexts):
        return exploring(np.zeros(self.n, int), 1.0, self._available())

    def _learn(self, contexts, actions, outcome, observed):
        self.late |= observed & (self.answered < self.decisions - 1)


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (Scaled(), "sum to 1"),
        (Negative(), "must be >= 0"),
        (Narrow(), r"floats of shape \(300, 4\)"),
        (Bolder(), "by rank, the plays of all rounds are"),
        (Certain(), "depend on the random numbers of the coming act"),
        (Shifted(), "in round .* the plays of arms are"),
        (Counts(), "changes its state, in sums"),
        (Advances(), "changes its state, in decisions"),
        (Forgetful(), "in round 12 the plays of arms are"),
    ],
)
def test_what_is_wrong(agent, message):
    with pytest.raises(AssertionError, match=message):
        check(agent)


@pytest.mark.parametrize("agent", ["EpsilonGreedy(epsilon=0.2)", "BetaThompson", "UCB2", "EXP3"])
def test_what_is_right(agent):
    check(agents.resolve(agent))
