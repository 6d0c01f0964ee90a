"""Small environments and suites for the tests of comparisons."""

from leaderboards.run.store.store import Store

SETTINGS = {"means": [0.5, 0.4, 0.2]}
HORIZON = 40

SUITE = """
title = "two"
seeds = 3

[[task]]
name = "arms"
env = "ArmedBandit-v0"
horizon = 40
settings = { means = [0.5, 0.4, 0.2] }

[[task]]
name = "clicks"
env = "ArmedBandit-v0"
horizon = 30
measure = "reward"
reference = "UCB1"
"""


ALIKE = """
from banditgym.envs.armed import ArmedBandit

class Alike(ArmedBandit):
    '''The same on every seed.'''

    def reset(self, *, seed=None, options=None):
        return super().reset(seed=[1] * self.num_envs, options=options)


class Fair(ArmedBandit):
    pass
"""


def rows_of(store):
    return sorted((row.agent, row.task, row.seed) for row in Store(store).rows())
