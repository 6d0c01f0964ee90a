"""What the tests of armed agents share: a decision in thousands of states at once."""

import gymnasium
import numpy as np
import pytest

import agents
from banditgym.tasks import ArmedTask


def _play_states(agent, index, *, bernoulli=True, n_arms=2, most=5000, seed=0, noise_std=None):
    """Act once in 4,000 states of replicates, and compare each decision with the formula.

    In a state the arms have from 1 to ``most`` pulls, of all orders of magnitude, and rewards whose
    means differ by about as much as bonuses, so that all terms of an index decide; in two fifths of
    Bernoulli states the first arm has only successes, or only failures, and others mostly so.
    ``index(mean, pulls, t)`` are the indices (n, K), given (n, K), (n, K) and (n, 1). Those within
    1e-9 of the largest count as largest, and of equal ones the first must be played. Returns the
    states and the arms played.
    """
    n, rng = 4000, np.random.default_rng(seed)
    task = ArmedTask(
        n_arms=n_arms, horizon=10**6, noise_std=noise_std, subgaussian=0.5, bernoulli=bernoulli
    )
    agent.reset(task, n=n, seed=seed)
    pulls = np.exp(rng.uniform(0.0, np.log(most), (n, n_arms))).astype(int)
    t = pulls.sum(axis=1)
    apart = rng.standard_normal((n, n_arms)) * np.sqrt(np.log(t + 1) / pulls.min(axis=1))[:, None]
    if bernoulli:
        likely = rng.random((n, 1))
        likely = np.clip(likely + apart * np.sqrt(likely * (1.0 - likely)), 0.0, 1.0)
        low, high = slice(n // 5), slice(n - n // 5, n)
        likely[low], likely[high] = likely[low] ** 4, 1.0 - likely[high] ** 4
        likely[low, 0], likely[high, 0] = 0.0, 1.0
        sums = rng.binomial(pulls, likely).astype(float)
    else:
        sums = pulls * (3.0 * rng.standard_normal((n, 1)) + apart)
    agent.pulls[:], agent.sums[:], agent._t[:] = pulls, sums, t
    values = index(sums / pulls, pulls, t[:, None])
    played = agent.act(np.zeros(n, int))
    chosen = np.take_along_axis(values, played[:, None], axis=1)
    assert (chosen >= values.max(axis=1, keepdims=True) - 1e-9).all()
    np.testing.assert_array_equal(played, (values == chosen).argmax(axis=1))
    return pulls, sums, t, played


@pytest.fixture
def play_states():
    return _play_states


@pytest.fixture
def play_block():
    """The pulls (n, K) of an agent that has played a block of 60 rounds, of means 0.5."""

    def play(agent):
        env = gymnasium.make_vec("ArmedBandit-v0", num_envs=2, means=[0.5] * 3, horizon=60)
        assert agent.reset(env.unwrapped.task, n=2).plays_blocks
        return agents.play(env, agent).pulls

    return play
