"""Choices where arms come and go: by definition, among those there, learned where observed."""

import dataclasses

import gymnasium
import numpy as np
import pytest

import agents
from agents.numerics.choice import most_optimistic
from agents.numerics.random_choice import uniform_slots
from agents.parts.decision_rules.thompson_sampling import largest
from agents.storage.states import equal
from banditgym.data.simulated_logs import MadeLog
from banditgym.streams import AGENT, Stream


def test_the_largest_of_those_there_is_chosen():
    score = np.array([[3.0, 1.0, 2.0, 2.0], [0.0, -1.0, -1.0, -2.0]])
    mask = np.array([[False, True, True, True], [False, True, True, True]])
    assert largest(score).tolist() == [0, 0]
    assert largest(score, mask).tolist() == [2, 1]
    variance = np.array([[1.0, 4.0, 0.0, 1.0], [1.0, 1.0, 4.0, 9.0]])
    assert most_optimistic(score, variance, np.zeros(2), mask).tolist() == [2, 1]
    assert most_optimistic(score, variance, np.ones(2), mask).tolist() == [1, 2]
    assert most_optimistic(score, variance, np.full((2, 4), 3.0), mask).tolist() == [1, 3]
    assert score[0, 0] == 3.0


def test_uniform_slots_are_uniform_among_those_there():
    n = 6000
    keys, t = Stream(range(n), AGENT, 0, 0).keys, np.arange(n) % 3
    mask = np.tile([[True, False, True, True, False]], (n, 1))
    mask[0] = [False, False, False, False, True]
    arms = np.empty(n, np.int64)
    uniform_slots(keys, t, 0, mask, arms)
    assert arms[0] == 4
    # 2000 each, of standard deviation 37.
    assert np.abs(np.bincount(arms[1:], minlength=5)[[0, 2, 3]] - 2000).max() < 165
    assert not np.isin(arms[1:], (1, 4)).any()


@pytest.mark.parametrize(
    "agent",
    [
        agents.LinUCB(alpha=0.0), agents.OFUL(radius=0.0), agents.LinTS(scale=0.0), agents.Greedy(),
        agents.EpsilonGreedy(epsilon=0.0), agents.DisjointLinUCB(alpha=0.0),
    ],
)  # fmt: skip
def test_ties_go_to_the_lowest_of_those_there(agent):
    task = gymnasium.make("NewsReplay-v0").unwrapped.task
    agent.reset(dataclasses.replace(task, n_arms=4, dim=2))
    mask, ids = np.array([0, 0, 1, 1], np.int8), np.array([-1, -1, 5, 7])
    assert agent.act({"arms": np.zeros((4, 2)), "action_mask": mask, "ids": ids}) == 2


def make_envs(tmp_path, **settings):
    """Articles that come and go quickly, more slots than there are."""
    MadeLog(n_articles=4, lifetime=20).write(tmp_path / "made", 300)
    return gymnasium.make_vec(
        "NewsReplay-v0", num_envs=3, data=str(tmp_path / "made"), n_arms=6, **settings
    )


def rounds(envs, agent):
    """(features (K, d), open slots, ids, slot, reward, observed) of replicate 1 in every round."""
    agent.reset(envs.unwrapped.task, n=3, seed=4)
    observation, _ = envs.reset(seed=4)
    told = []
    for t in range(300):
        action = agent.act(observation)
        following, _, _, _, info = envs.step(action)
        # Not the clicks: they are rare, and never below what an empty slot seems to be worth.
        reward = info["matched"] * (t % 4 - 1.6)
        agent.observe(observation, action, reward, observed=info["observed"])
        x, mask, ids = (observation[name][1] for name in ("arms", "action_mask", "ids"))
        there = np.flatnonzero(mask)
        told.append((x.copy(), there, ids.copy(), action[1], reward[1], info["observed"][1]))
        observation = following
    return told


@pytest.mark.parametrize(
    "agent", [agents.LinUCB(alpha=0.7, ridge=0.3), agents.Greedy(ridge=0.4), agents.OFUL(ridge=0.5)]
)
def test_optimism_is_among_those_there(agent, tmp_path):
    inverse, rewards = None, np.zeros(36)
    for x, there, _, slot, reward, observed in rounds(make_envs(tmp_path), agent):
        if inverse is None:
            gram = agent.ridge * np.eye(36)
        inverse = np.linalg.inv(gram)
        width = np.sqrt(np.einsum("kd,de,ke->k", x[there], inverse, x[there]))
        mean = x[there] @ inverse @ rewards
        if isinstance(agent, agents.OFUL):
            det = np.linalg.slogdet(gram / agent.ridge)[1]
            radius = np.sqrt(agent.ridge) + 0.5 * np.sqrt(2 * np.log(10) + det)
        else:
            radius = getattr(agent, "alpha", 0.0)
        score = mean + radius * width
        assert slot in there
        assert score[there == slot][0] >= score.max() - 1e-9
        if observed:
            gram += np.outer(x[slot], x[slot])
            rewards += reward * x[slot]
    np.testing.assert_allclose(agent.model.theta[1], np.linalg.inv(gram) @ rewards, atol=1e-9)


def test_a_model_per_arm_begins_with_it(tmp_path):
    agent = agents.DisjointLinUCB(alpha=0.2, ridge=0.4)
    envs = make_envs(tmp_path, features="user", keep=1.0)
    models, changes = {}, 0  # slot: (whose, gram, rewards)
    for x, there, ids, slot, reward, observed in rounds(envs, agent):
        score = []
        for k in there:
            whose, gram, rewards = models.get(k, (None, None, None))
            if whose != ids[k]:
                gram, rewards = 0.4 * np.eye(6), np.zeros(6)
            inverse = np.linalg.inv(gram)
            score.append(x[k] @ inverse @ rewards + 0.2 * np.sqrt(x[k] @ inverse @ x[k]))
        assert score[np.flatnonzero(there == slot)[0]] >= max(score) - 1e-9
        if observed:
            whose, gram, rewards = models.get(slot, (None, None, None))
            if whose != ids[slot]:
                changes += whose is not None
                gram, rewards = 0.4 * np.eye(6), np.zeros(6)
            models[slot] = (
                ids[slot], gram + np.outer(x[slot], x[slot]), rewards + reward * x[slot]
            )  # fmt: skip
    assert changes > 10
    for slot, (_, gram, rewards) in models.items():
        np.testing.assert_allclose(agent.theta[1, slot], np.linalg.solve(gram, rewards), atol=1e-9)


@pytest.mark.parametrize("agent", [agents.UniformRandom(), agents.EpsilonGreedy(epsilon=0.6)])
def test_exploration_is_uniform_among_those_there(agent, tmp_path):
    keys, seen, explored = Stream([5], AGENT, 0, 0), 0, 0
    played = rounds(make_envs(tmp_path), agent)
    for t, (_, there, _, slot, _, observed) in enumerate(played):
        u = keys.uniform(t, (2,))[0]
        if isinstance(agent, agents.UniformRandom):
            assert slot == there[int(u[0] * len(there))]
        elif u[0] < 0.6:
            assert slot == there[int(u[1] * len(there))]
            explored += 1
        else:
            assert slot in there
        seen += observed
    assert seen > 10
    assert explored == 0 or 100 < explored < 250


def test_thompson_sampling_stays_among_those_there(tmp_path):
    for _, there, _, slot, _, _ in rounds(make_envs(tmp_path), agents.LinTS()):
        assert slot in there


@pytest.mark.parametrize("n_articles", [1, 4])
@pytest.mark.parametrize("agent", [agents.LinUCB(alpha=0.5, ridge=0.2), agents.Greedy()])
def test_blocks_are_what_rounds_are(agent, n_articles, tmp_path):
    MadeLog(n_articles=n_articles, lifetime=20).write(tmp_path / "made", 700)
    settings = {"data": str(tmp_path / "made"), "keep": 0.8}
    env = gymnasium.make("NewsReplay-v0", **settings)
    trace = agents.play(env, agent, seed=3)
    env.reset(seed=3)
    assert env.unwrapped.block(1) is not None
    by_rounds = type(agent)(**agent.hyperparameters())
    env = gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.make("NewsReplay-v0", **settings))
    plain = agents.play(env, by_rounds, seed=3)
    for name, values in plain.measures.items():
        np.testing.assert_array_equal(trace.measures[name], values)
    np.testing.assert_array_equal(trace.pulls, plain.pulls)
    assert equal(agent.model, by_rounds.model)
    assert trace.measures["matched"][0, -1] > 50


def test_observations_that_are_none_are_refused():
    agent = agents.LinUCB()
    env = gymnasium.make("NewsReplay-v0", data="R6A", n_arms=22)
    agent.reset(env.unwrapped.task)
    observation, _ = env.reset(seed=0)
    agent.act(observation)
    empty = int(np.flatnonzero(observation["action_mask"] == 0)[0])
    with pytest.raises(ValueError, match=f"played slot {empty}, which has no arm"):
        agent.observe(observation, empty, 0.0)
    for changes, message in [
        ({"action_mask": np.zeros(22, np.int8)}, "replicate 0 has no arm to play"),
        ({"action_mask": np.full(22, 2)}, "action_mask of 0 and 1"),
        ({"action_mask": np.ones(21, np.int8)}, "action_mask of 0 and 1"),
        ({"ids": np.zeros(22)}, "expected ids of shape"),
        ({"arms": np.zeros((22, 35))}, "expected features of shape"),
    ]:
        with pytest.raises(ValueError, match=message):
            agent.act(observation | changes)
    with pytest.raises(ValueError, match="a mapping of arms, action_mask and ids"):
        agent.act(observation["arms"])
