"""How often samplers play each arm, in draws that no act makes."""

from typing import Any

import numpy as np

from agents.agent import Agent, reject
from agents.drivers.rule import choose
from banditgym.compiled import compiled
from banditgym.streams import AGENT, Stream

DRAWS = 10_000  # for the propensities of an act
_PURPOSE = 10  # of the stream, so that propensities tell nothing of the act's own numbers


def draw_apart(agent: Agent) -> np.ndarray:
    """Keys (n, 2) for these draws alone; the agent goes to the round of the first of them."""
    agent.decisions = agent.decisions * DRAWS
    return Stream(agent.seeds, AGENT, _PURPOSE, 0).keys


def frequencies(agent: Any, contexts: Any) -> np.ndarray:
    """The frequencies (n, K) of the arms that an agent chooses, if it learns nothing."""
    counts, each = np.zeros((agent.n, agent.task.n_arms)), np.arange(agent.n)
    for _ in range(DRAWS):
        counts[each, agent._choose(contexts)] += 1.0
        agent.decisions += 1
    return counts / DRAWS


def frequencies_by_rule(agent: Any, rule: Any, contexts: Any) -> np.ndarray:
    """The same by an agent's rule, for as many rounds."""
    counts = np.zeros((agent.n, agent.task.n_arms))
    reject(_count(rule, contexts, agent.mask, counts), "a feature")
    return counts / DRAWS


@compiled
def _count(rule, contexts, mask, counts):
    """Returns the first replicate whose features are refused, or -1."""
    for t in range(DRAWS):
        for i in range(counts.shape[0]):
            arm = choose(rule, i, t, contexts, mask)
            if arm < 0:
                return i
            counts[i, arm] += 1.0
    return -1
