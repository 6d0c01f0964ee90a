"""GLRklUCB: when it restarts and explores, what it keeps, and that it follows a change."""

import math

import numpy as np
import pytest

import agents
from banditgym.tasks import ArmedTask
from tests.agents.definitions.armed.glrklucb import Definition

GIVEN = {"exploration": 0.1, "delta": 0.05}


def task(horizon, n_arms=2):
    known = {"noise_std": None, "subgaussian": 0.5, "bernoulli": True}
    return ArmedTask(n_arms=n_arms, horizon=horizon, **known)


def learn(agent, rewards, arm=0):
    for reward in rewards:
        agent.observe(0, arm, reward)


@pytest.mark.parametrize(
    "agent",
    [
        agents.GLRklUCB(),
        agents.GLRklUCB(restart="global", exploration=1.7, delta=0.9, test_every=1, split_every=1),
    ],
)
def test_it_keeps_the_contract(agent):
    agents.check_agent(agent)


def test_it_plays_every_arm_in_a_block(play_block):
    pulls = play_block(agents.GLRklUCB())
    assert pulls.sum() == 2 * 60
    assert pulls.min() >= 5


@pytest.mark.parametrize("exploration", [0.0, 0.4, 50.0])
def test_forced_exploration_has_the_period_of_the_number_of_restarts(exploration):
    """At decisions 1 to K of a period; arm 2 is otherwise played, as its rewards are ones."""
    agent = agents.GLRklUCB(exploration=exploration, delta=0.05).reset(task(200, n_arms=3))
    learn(agent, [0.0] * 20, 0)
    learn(agent, [0.0] * 20, 1)
    learn(agent, [1.0] * 20, 2)
    for restarts in (0, 3):
        agent.restarts[:], agent.decisions[:] = restarts, 0
        played = [agent.act(0) for _ in range(200)]
        alpha = exploration * math.sqrt(restarts + 1)
        period = max(int(3 / alpha), 4) if alpha else 10**9
        assert played == [t % period - 1 if 1 <= t % period <= 3 else 2 for t in range(200)]


@pytest.mark.parametrize("restart", ["local", "global"])
def test_a_change_restarts_the_arm_or_all(restart):
    """After 31 ones, 6 zeros: s = 31 has 31 d(1, 31/37) + 6 d(0, 31/37) = 16.4 > 8.4, but the test
    is in the next round, the 41st."""
    agent = agents.GLRklUCB(restart=restart, split_every=10, **GIVEN).reset(task(None))
    learn(agent, [1.0, 0.0, 1.0], 1)
    learn(agent, [1.0] * 31)
    learn(agent, [0.0] * 6)
    np.testing.assert_array_equal(agent.restarts, 0)
    learn(agent, [0.0])
    np.testing.assert_array_equal(agent.restarts, 1)
    np.testing.assert_array_equal(agent.pulls[0], [0, 0 if restart == "global" else 3])
    np.testing.assert_array_equal(agent.sums[0], [0, 0 if restart == "global" else 2])
    learn(agent, [0.0] * 30)
    np.testing.assert_array_equal(agent.pulls[0, 0], 30)


def test_an_index_counts_the_rewards_since_the_restart_of_its_arm():
    agent = agents.GLRklUCB(**GIVEN).reset(task(None))
    agent.pulls[:], agent.sums[:], agent._t[:] = [[50, 50]], [[20.0, 18.0]], 100_000
    assert agent.act(0) == 0
    agent.decisions[:] = 0
    agent._since[0, 0] = 100_000 - 60
    assert agent.act(0) == 1


@pytest.mark.parametrize("splits", [2, 5, 8])
@pytest.mark.parametrize("binary", [True, False])
def test_splits_are_thinned_out_as_rewards_become_more(splits, binary):
    """Beyond the horizon too; false alarms, and a change after 250 rewards."""
    options = {"restart": "local", "test_every": 3, "split_every": 2, "splits": splits}
    agent = agents.GLRklUCB(exploration=0.1, delta=0.9, **options).reset(task(100))
    other = Definition(task(100), None, exploration=0.1, delta=0.9, **options)
    rng, longest = np.random.default_rng(splits), 0
    for t in range(600):
        arm, reward = int(rng.random() < 0.1), rng.random()
        reward = reward**2 if t < 250 else 1 - reward**2
        reward = float(rng.random() < reward) if binary else reward
        agent.observe(0, arm, reward)
        other.learn(None, arm, reward, t)
        other.choose(None, t, np.ones(2, bool))
        np.testing.assert_array_equal(agent.pulls[0], other.pulls)
        np.testing.assert_allclose(agent.sums[0], other.sums)
        longest = max(longest, agent.pulls.max())
    assert agent.restarts[0] == other.restarts
    assert agent._kept.shape == (1, 2, splits + splits % 2)
    assert agent.restarts[0] > 0
    assert longest > 8 * splits


@pytest.mark.parametrize(("restart", "horizon", "kept"), [("local", 20_000, 2000),
                                                          ("global", 20_000, 4000),
                                                          ("local", 10**7, 4000),
                                                          ("global", 12, 4),
                                                          ("local", 1, 2)])  # fmt: skip
def test_memory_is_that_of_the_splits(restart, horizon, kept):
    agent = agents.GLRklUCB(restart=restart).reset(task(horizon))
    assert agent._kept.shape == (1, 2, kept)


def test_the_memory_counted_is_that_of_the_splits(monkeypatch):
    monkeypatch.setattr("agents.armed.glrklucb.memory", lambda: 3 * 2 * 6 * 8)
    agents.GLRklUCB(splits=6, **GIVEN).reset(task(None), n=3)
    with pytest.raises(ValueError, match="more memory"):
        agents.GLRklUCB(splits=7, **GIVEN).reset(task(None), n=3)


def test_the_defaults_are_those_of_the_authors():
    agent = agents.GLRklUCB().reset(task(20_000, n_arms=3))
    assert agent.known("exploration") == pytest.approx(math.sqrt(3 * math.log(20_000) / 20_000))
    assert agent.known("delta") == pytest.approx(1 / math.sqrt(20_000))
    assert agent.test_every == 10
    assert (agent._gap == 10).all()
    assert (agents.GLRklUCB(restart="global").reset(task(9))._gap == 5).all()
    agents.GLRklUCB().reset(task(1)).act(0)


def test_it_follows_a_change_that_klucb_does_not_see():
    """Half-way through 5,000 rounds the best arm becomes the worst, and the worst the best.
    Measured, 5 seeds: 231 and 588."""
    means = np.array([[0.9, 0.2, 0.3], [0.1, 0.7, 0.3]])
    regret = {}
    for agent in (agents.GLRklUCB(), agents.KLUCB()):
        agent.reset(task(5000, n_arms=3), n=5)
        rng, shown, regret[type(agent)] = np.random.default_rng(1), np.zeros(5, int), 0.0
        for t in range(5000):
            arms = agent.act(shown)
            mean = means[t // 2500]
            agent.observe(shown, arms, (rng.random(5) < mean[arms]).astype(float))
            regret[type(agent)] += (mean.max() - mean[arms]).mean()
    assert regret[agents.GLRklUCB] < 0.5 * regret[agents.KLUCB]


def test_what_it_cannot_play_is_refused():
    with pytest.raises(ValueError, match="needs exploration, which this task does not have"):
        agents.GLRklUCB().reset(task(None))
    gaussian = ArmedTask(n_arms=2, horizon=9, noise_std=0.5, subgaussian=0.5, bernoulli=False)
    with pytest.raises(ValueError, match=r"rewards in \[0, 1\], .* not Bernoulli"):
        agents.GLRklUCB().reset(gaussian)
    with pytest.raises(ValueError, match="more memory.* splits of an arm"):
        agents.GLRklUCB(splits=2**60, **GIVEN).reset(task(None))


@pytest.mark.parametrize("reward", [-1e-9, 1.5, 1e300])
def test_rewards_outside_of_0_and_1_are_refused(reward):
    agent = agents.GLRklUCB().reset(task(9))
    with pytest.raises(ValueError, match=r"^rewards must be in \[0, 1\], got .* of replicate 0$"):
        agent.observe(0, 0, reward)
    assert agent.pulls.sum() == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("restart", "both"),
        *[("exploration", value) for value in (-0.1, float("nan"))],
        *[("delta", value) for value in (0.0, 1.0, float("nan"))],
        *[("test_every", 0), ("split_every", 0), ("splits", 1)],
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(name, value):
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        agents.GLRklUCB(**{name: value})
