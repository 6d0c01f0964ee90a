"""DelayedLinUCB: plays that count at once, windows, and what it cannot play."""

import gymnasium
import numpy as np
import pytest

import agents
from banditgym.tasks import Feedback, LinearTask

ARMS = np.eye(3)[None].repeat(2, axis=0)  # of two replicates: three orthogonal arms


def task(horizon=99, **feedback):
    known = {"noise_std": 0.1, "subgaussian": 0.1, "feature_norm": 1.0, "param_norm": 1.0}
    known["feedback"] = Feedback(**feedback) if feedback else None
    return LinearTask(n_arms=3, dim=3, horizon=horizon, **known)


@pytest.mark.parametrize("given", [{"window": 4}, {"window": 0, "alpha": 0.1}, {"window": 30}])
def test_it_keeps_the_contract(given):
    agents.check_agent(agents.DelayedLinUCB(**given))


def test_a_play_counts_before_its_reward_comes():
    """So that it plays each of the arms before it plays one again, where LinUCB repeats one."""
    agent, other = agents.DelayedLinUCB(window=5).reset(task(), n=2), agents.LinUCB()
    other.reset(task(), n=2)
    assert [agent.act(ARMS).tolist() for _ in range(4)] == [[0, 0], [1, 1], [2, 2], [0, 0]]
    assert [other.act(ARMS).tolist() for _ in range(4)] == [[0, 0]] * 4
    np.testing.assert_allclose(agent.model.gram[0], np.diag([3.0, 2.0, 2.0]))
    assert not agent.model.theta.any()
    agent.observe(ARMS, [0, 0], [1.0, 0.5], decision=0)
    np.testing.assert_allclose(agent.model.theta, [[1 / 3, 0, 0], [1 / 6, 0, 0]])
    np.testing.assert_allclose(agent.model.gram[0], np.diag([3.0, 2.0, 2.0]))


def test_rewards_of_a_log_count_as_plays():
    """Without acts; of another arm than it chose; and again of a decision that was answered."""
    agent = agents.DelayedLinUCB(window=5, alpha=0.0).reset(task(), n=2)
    agent.observe(ARMS, [1, 1], [1.0, 1.0])
    np.testing.assert_allclose(agent.model.gram[0], np.diag([1.0, 2.0, 1.0]))
    assert agent.act(ARMS).tolist() == [1, 1]
    agent.observe(ARMS, [2, 1], [1.0, 1.0], decision=0)
    np.testing.assert_allclose(agent.model.gram[0], np.diag([1.0, 3.0, 2.0]))
    np.testing.assert_allclose(agent.model.gram[1], np.diag([1.0, 3.0, 1.0]))
    agent.observe(ARMS, [1, 1], [1.0, 1.0], decision=0)
    np.testing.assert_allclose(agent.model.gram[0], np.diag([1.0, 3.0, 2.0]))
    np.testing.assert_allclose(agent.model.gram[1], np.diag([1.0, 4.0, 1.0]))
    np.testing.assert_allclose(agent.model.theta, [[0, 2 / 3, 0.5], [0, 0.75, 0]])


def test_only_rewards_within_the_window_are_learned():
    """Decision 0 may be answered in the step of decision 4, where 5 decisions were made."""
    for acts, learned in ((5, True), (6, False)):
        agent = agents.DelayedLinUCB(window=4).reset(task(), n=2)
        for _ in range(acts):
            agent.act(ARMS)
        before = agent.model.gram
        agent.observe(ARMS, [0, 0], [1.0, 1.0], decision=0)
        assert agent.model.theta.any() == learned
        np.testing.assert_array_equal(agent.model.gram, before)


def test_open_plays_alone_widen_the_bonus():
    """By their norms: after arms 0, 1 and 2 a norm is sqrt(1/2), and 0 plays within a window of 0
    have none."""
    radii = {}
    for window in (0, 1, 2, 50):
        agent = agents.DelayedLinUCB(window=window, alpha=0.3).reset(task(), n=2)
        for _ in range(3):
            agent.act(ARMS)
        radii[window] = agent.radii()
    assert radii[0][0] == pytest.approx(
        0.6 * (1 + 0.1 * np.sqrt(2 * np.log(10) + 3 * np.log(1 + 3 / 3)))
    )
    for window, plays in ((1, 1), (2, 2), (50, 3)):
        np.testing.assert_allclose(radii[window] - radii[0], 0.3 * plays * np.sqrt(0.5))


@pytest.mark.parametrize(("feedback", "places"), [({"window": 7}, 8), ({"window": 7,
                                                  "update_every": 5}, 12)])  # fmt: skip
def test_the_window_is_the_tasks(feedback, places):
    agent = agents.DelayedLinUCB()
    assert "window" in agent.facts()
    assert agent.reset(task(**feedback), n=2)._open.shape == (2, places)
    assert agent.reset(task(3, **feedback), n=2)._open.shape == (2, 4)  # there are 3 rounds


def test_no_reward_of_its_task_comes_too_late():
    """In a play with delays up to the window, each play is counted once, and each reward learned:
    V is lambda I and the sum over all decisions."""
    late = {"delay": {"kind": "geometric", "mean": 6}, "window": 9, "update_every": 4}
    env = gymnasium.make_vec(
        "LinearBandit-v0", num_envs=3, dim=2, n_arms=3, horizon=80, at_end="delivered", **late
    )
    agent = agents.DelayedLinUCB()
    agents.play(env, agent, rounds=[80])
    assert not agent._open[:, (79 - np.arange(10)) % 13].any()
    assert (agent._t == 80).all()


def test_late_rewards_cost_it_little():
    """With a twentieth of the theorem's bonus. Measured, 20 seeds, mean regret: 20; uniform 661."""
    late = {"delay": 20, "window": 30, "horizon": 1000}
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=20, dim=5, n_arms=10, **late)
    regret, uniform = (
        agents.play(env, agent, rounds=[1000]).regret[:, -1].mean()
        for agent in (agents.DelayedLinUCB(alpha=0.05), agents.UniformRandom())
    )
    assert regret < 0.1 * uniform


def test_what_it_cannot_play_is_refused():
    for given in (task(), task(update_every=3)):
        with pytest.raises(ValueError, match="needs window, which this task does not have: give"):
            agents.DelayedLinUCB().reset(given)
    with pytest.raises(ValueError, match=r"more memory.* of a window of \d+ rounds"):
        agents.DelayedLinUCB(window=2**60).reset(task(None))
    env = gymnasium.make("LinearBandit-v0", contexts="gaussian", window=3)
    with pytest.raises(ValueError, match="its radius needs a bound on the features' norm"):
        agents.DelayedLinUCB().reset(env.unwrapped.task)


def test_the_memory_counted_is_that_of_the_window(monkeypatch):
    monkeypatch.setattr("agents.linear.delayed_linucb.memory", lambda: 2 * 3 * 6 * 8)
    agents.DelayedLinUCB(window=5).reset(task(), n=2)
    with pytest.raises(ValueError, match="more memory"):
        agents.DelayedLinUCB(window=6).reset(task(), n=2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("window", -1),
        *[("alpha", value) for value in (-0.1, float("nan"))],
        ("ridge", 0.0),
        ("delta", 1.0),
        ("noise_std", -0.1),
        ("param_norm", float("nan")),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(name, value):
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        agents.DelayedLinUCB(**{name: value})
