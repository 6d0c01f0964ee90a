"""Room for the samples of agents that fit them all again."""

import gymnasium
import numpy as np
import pytest

import agents
from banditgym.rounds.blocks import ArmsBlock

N, DIM = 2, 3


def started():
    settings = {"n_arms": 4, "dim": DIM, "horizon": 300}
    task = gymnasium.make("LogisticBandit-v0", **settings).unwrapped.task
    return agents.GLMUCB().reset(task, n=N, seed=5)


@pytest.mark.parametrize(
    ("learned", "rounds", "room"),
    [(0, 1, 64), (0, 64, 64), (0, 65, 128), (60, 4, 64), (60, 5, 128), (60, 200, 260)],
)
def test_room_is_doubled_or_made_for_what_comes(learned, rounds, room):
    agent = started()
    assert agent._samples.shape == (N, 64, DIM + 1)
    kept = np.random.default_rng(0).standard_normal((N, 64, DIM + 1))
    agent._samples[:], agent._t[:] = kept, [learned, learned // 2]
    fitting = agent._fitting(rounds, (1.0, 1.0), False)
    assert fitting.samples is agent._samples
    assert agent._samples.shape == (N, room, DIM + 1)
    np.testing.assert_array_equal(agent._samples[:, :64], kept)
    assert not agent._samples[:, 64:].any()


def test_all_samples_are_kept_in_their_order():
    agent, rng = started(), np.random.default_rng(0)
    rows, rewards = np.empty((N, 150, DIM)), np.empty((N, 150))
    for t in range(150):
        x = rng.uniform(-0.5, 0.5, (N, 4, DIM))
        arms, rewards[:, t] = agent.act(x), rng.integers(2, size=N)
        rows[:, t] = x[np.arange(N), arms]
        agent.observe(x, arms, rewards[:, t])
    assert agent._samples.shape == (N, 256, DIM + 1)
    np.testing.assert_array_equal(agent._samples[:, :150, :DIM], rows)
    np.testing.assert_array_equal(agent._samples[:, :150, DIM], rewards)
    assert agent._t.tolist() == [150, 150]


def test_it_estimates_probabilities():
    agent, rng = started(), np.random.default_rng(0)
    for _ in range(30):
        x = rng.uniform(-0.5, 0.5, (N, 4, DIM))
        arms = agent.act(x)
        agent.observe(x, arms, rng.integers(2, size=N))
    score = np.einsum("nkd,nd->nk", x, agent.model.theta)
    assert np.abs(score).min() > 1e-3
    for arm in range(4):
        expected = 1 / (1 + np.exp(-score[:, arm]))
        np.testing.assert_allclose(agent.estimate(x, np.full(N, arm)), expected, rtol=1e-9)


def test_a_block_whose_features_are_too_long_is_refused():
    agent = started()
    features = np.full((1, N, DIM, 4), 1e13)
    features.flags.writeable = False
    means = np.full((1, N, 4), 0.5)
    block = ArmsBlock(
        start=0, bernoulli=True, features=features, means=means, best=means.max(axis=2),
        noise=np.full((1, N), 0.4),
    )  # fmt: skip
    with pytest.raises(ValueError, match="too long"):
        agent._play_block(block)
