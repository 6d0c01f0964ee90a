"""Confidence sets by a theorem's radius contain f, and smaller ones do not."""

import gymnasium
import numpy as np
import pytest
from scipy import stats

import agents
from agents.parts.confidence import oversampling

N, T = 200, 100
AGENTS = {
    "GPUCB": lambda: agents.GPUCB(radius="theory"),
    "BKB": lambda: agents.BKB(radius="theory", qbar=oversampling(T)),
}


def misses(make, scale):
    """In how many of N replicates f ever leaves the set, its radius times ``scale``."""
    env = gymnasium.make_vec(
        "KernelBandit-v0", num_envs=N, n_arms=20, dim=1, function="rkhs", horizon=T
    )
    agent = make().reset(env.unwrapped.task, n=N, seed=0)
    observation, _ = env.reset(seed=0)
    means = env.unwrapped._means[0][0]
    left = np.zeros(N, bool)
    for _ in range(T):
        arms = agent.act(observation)
        mean, variance = agent.model.predict(None)
        reach = scale * agent.choice.radius[:, None] * np.sqrt(variance)
        left |= (np.abs(mean - means) > reach + 1e-9).any(axis=1)
        following, reward, *_ = env.step(arms)
        agent.observe(observation, arms, reward)
        observation = following
    return int(left.sum())


@pytest.mark.parametrize("name", AGENTS)
def test_the_sets_cover_f(name):
    """P(f ever leaves) <= 0.1. Of 200 independent seeds Binomial(200, 0.1) exceeds its 1 - 1e-6
    quantile (43) with probability below 1e-6. Measured: 0, the bounds are loose."""
    assert misses(AGENTS[name], 1.0) <= stats.binom.ppf(1 - 1e-6, N, 0.1)


@pytest.mark.parametrize("name", AGENTS)
def test_smaller_sets_do_not(name):
    """The test above can fail: at 0.3 and 0.15 of the radius, where 166 and 194 leave."""
    scale = {"GPUCB": 0.3, "BKB": 0.15}[name]
    assert misses(AGENTS[name], scale) > stats.binom.ppf(1 - 1e-6, N, 0.1)
