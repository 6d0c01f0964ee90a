"""What agents say that they expect: the mean reward, by formula; saying it changes nothing."""

import copy

import gymnasium
import numpy as np
import pytest

import agents
from agents.naming import own_agents
from agents.parts.drawn_arms import DrawnArms
from banditgym.functions.covariances import RBF

from .test_definitions import KINDS
from .test_scalar import Leader

_PLAYED = (
    *("bernoulli", "gaussian", "fresh", "fixed", "few-fixed"),
    *("news", "arms", "changing", "box"),
)


def cases():
    named = [kind() for kind in own_agents().values()]
    for kind in _PLAYED:
        name, given = KINDS[kind]
        task = gymnasium.make(name, **given).unwrapped.task
        for agent in (*named, agents.UCB1Tuned(), agents.UCB2(), agents.EpsilonNGreedy()):
            estimates = not isinstance(agent, agents.UniformRandom | DrawnArms)
            if agent.refusal(task) is None and estimates:
                yield pytest.param(kind, agent, id=f"{kind}-{type(agent).__name__}")


def _play(agent, kind, asks, rounds=40):
    """The actions played where every third reward is late by five rounds, and what was expected."""
    name, given = KINDS[kind]
    env = gymnasium.make_vec(name, num_envs=3, horizon=rounds, **given)
    agent.reset(env.unwrapped.task, n=3, seed=5)
    observation, _ = env.reset(seed=5)
    played, expected, waiting = [], [], []
    for t in range(rounds):
        shown = copy.deepcopy(observation)
        if asks:
            expected.append(agent.estimate(shown, _first(env, shown)))
        played.append(agent.act(shown))
        observation, reward, *_ = env.step(played[-1])
        reward = np.random.default_rng(t).random(3) if kind == "news" else reward  # a log shows few
        waiting.append((shown, played[-1], reward, t))
        if asks:
            expected.append(agent.estimate(shown, played[-1]))
        come = [one for one in waiting if one[3] % 3 or t - one[3] == 5]
        waiting = [one for one in waiting if not (one[3] % 3 or t - one[3] == 5)]
        for shown, action, reward, of in come:
            agent.observe(shown, action, reward, decision=of)
            if asks:
                expected.append(agent.estimate(shown, action))
    return np.array(played), expected


def _first(env, shown):
    """An action of each replicate that there is."""
    if isinstance(shown, dict):
        return np.argmax(shown["action_mask"], axis=1)
    return env.action_space.sample()


@pytest.mark.parametrize(("kind", "agent"), list(cases()))
def test_saying_what_it_expects_changes_no_act(kind, agent):
    assert agent.estimates
    quiet, _ = _play(agent, kind, asks=False)
    asked, expected = _play(agent, kind, asks=True)
    np.testing.assert_array_equal(asked, quiet)
    assert all(one.shape == (3,) for one in expected)
    assert np.isfinite(expected[-1]).all()
    assert np.ptp(np.array(expected)[np.isfinite(expected)]) > 0


def test_an_agent_of_arms_expects_the_mean_of_their_rewards():
    task = gymnasium.make("ArmedBandit-v0", n_arms=3).unwrapped.task
    for name in ("UCB1", "KLUCB", "BetaThompson", "UCB2", "EpsilonNGreedy", "SlidingWindowUCB"):
        agent = agents.resolve(name).reset(task, n=2)
        for arms, rewards in (([0, 1], [1.0, 0.0]), ([0, 1], [0.0, 0.0]), ([2, 1], [1.0, 1.0])):
            agent.act(None)
            agent.observe(None, arms, rewards)
        np.testing.assert_allclose(agent.estimate(None, [0, 1]), [1 / 2, 1 / 3])
        np.testing.assert_array_equal(agent.estimate(None, [1, 0]), [np.nan, np.nan])
        solo = agents.resolve(name).reset(task)
        assert np.isnan(solo.estimate(None, 2))
        solo.act(None)
        solo.observe(None, 2, 1.0)
        assert type(solo.estimate(None, 2)) is float
        assert solo.estimate(None, 2) == 1.0


@pytest.mark.parametrize("name", ["LinUCB(ridge=0.7)", "LinTS(ridge=0.7)", "Greedy(ridge=0.7)"])
def test_ridge_expects_its_mean(name):
    env = gymnasium.make("LinearBandit-v0", n_arms=4, dim=3, horizon=30)
    agent = agents.resolve(name).reset(env.unwrapped.task)
    shown, _ = env.reset(seed=1)
    gram, moment = 0.7 * np.eye(3), np.zeros(3)
    assert agent.estimate(shown, 1) == 0.0
    for _ in range(30):
        arm = agent.act(shown)
        x = np.array(shown)
        shown, reward, *_ = env.step(arm)
        agent.observe(x, arm, reward)
        gram += np.outer(x[arm], x[arm])
        moment += reward * x[arm]
        expected = x @ np.linalg.solve(gram, moment)
        for other in range(4):
            np.testing.assert_allclose(agent.estimate(x, other), expected[other], atol=1e-12)


PARAMETERS = {  # of one replicate: of all arms (d,), or of each (K, d)
    "DisjointLinUCB(ridge=0.7)": lambda agent: agent.theta[0],
    "HybridLinUCB(ridge=0.7)": lambda agent: agent.shared.theta[0] + agent.theta[0],
    "DelayedLinUCB(ridge=0.7, window=5)": lambda agent: agent.model.theta[0],
    "FastLinUCB": lambda agent: agent.model.theta[0],
    "CBRAP(ridge=0.7, size=2)": lambda agent: agent.model.theta[0] @ agent.projection[0],
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_linear_agents_expect_what_their_parameters_give(name):
    env = gymnasium.make("LinearBandit-v0", n_arms=4, dim=3, horizon=30)
    agent = agents.resolve(name).reset(env.unwrapped.task)
    shown, _ = env.reset(seed=1)
    for _ in range(30):
        arm = agent.act(shown)
        x = np.array(shown)
        shown, reward, *_ = env.step(arm)
        agent.observe(x, arm, reward)
    expected = (x * PARAMETERS[name](agent)).sum(axis=1)
    assert np.abs(expected).min() > 0.01
    for other in range(4):
        np.testing.assert_allclose(agent.estimate(x, other), expected[other], atol=1e-12)


@pytest.mark.parametrize("name", ["GPUCB(ridge=0.3)", "GPTS(ridge=0.3)"])
def test_a_gaussian_process_expects_its_mean(name):
    env = gymnasium.make("KernelBandit-v0", n_arms=6, dim=2, covariance=RBF(), horizon=15)
    task = env.unwrapped.task
    agent = agents.resolve(name).reset(task)
    env.reset(seed=1)
    kernel, played, rewards = RBF()(task.arms, task.arms), [], []
    for _ in range(15):
        played.append(agent.act(None))
        rewards.append(env.step(played[-1])[1])
        agent.observe(None, played[-1], rewards[-1])
        among = kernel[np.ix_(played, played)] + 0.3 * np.eye(len(played))
        mean = kernel[:, played] @ np.linalg.solve(among, rewards)
        for arm in range(6):
            np.testing.assert_allclose(agent.estimate(None, arm), mean[arm], atol=1e-9)


def test_a_scalar_agent_may_say_what_it_expects():
    class Expecting(Leader):
        def expect(self, contexts, arm):
            assert type(arm) is int
            return self.sums[arm] / self.pulls[arm] if self.pulls[arm] else np.nan

    assert not Leader().estimates
    task = gymnasium.make("ArmedBandit-v0", n_arms=3).unwrapped.task
    agent = Expecting().reset(task, n=2)
    agent.act(None)
    agent.observe(None, [2, 0], [1.0, 0.0])
    np.testing.assert_array_equal(agent.estimate(None, [2, 1]), [1.0, np.nan])


def test_what_cannot_be_estimated_is_refused():
    task = gymnasium.make("ArmedBandit-v0", n_arms=3).unwrapped.task
    with pytest.raises(ValueError, match="UniformRandom has no estimate of the rewards of actions"):
        agents.UniformRandom().reset(task).estimate(None, 0)
    with pytest.raises(ValueError, match="UCB1 has no task yet"):
        agents.UCB1().estimate(None, 0)
    for arm in (-1, 3):
        with pytest.raises(ValueError, match=f"{arm}"):
            agents.UCB1().reset(task).estimate(None, arm)
