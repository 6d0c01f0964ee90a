"""Points played through a Box; late rewards for any environment, and replay buffers for them."""

import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Discrete
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

import banditgym
from banditgym.rounds.delays import read_law
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.vector_env import DELAYS, MISSING
from banditgym.wrappers import LateReplay, LateReward

GEOMETRIC = {"kind": "geometric", "mean": 4}


def test_a_box_action_is_the_nearest_point():
    env = banditgym.BoxActions(gymnasium.make("EllipsoidBandit-v0", axes=[0.5, 2.0],
                                              orientation="identity"))  # fmt: skip
    np.testing.assert_array_equal(env.action_space.high, np.float32([0.5, 2.0]))
    np.testing.assert_array_equal(env.action_space.low, np.float32([-0.5, -2.0]))
    np.testing.assert_array_equal(env.action(np.float32([0.25, 0.5])), [0.25, 0.5])
    np.testing.assert_allclose(env.action(np.float32([0.0, 9.0])), [0.0, 2.0])
    with pytest.raises(ValueError, match="needs an environment of points"):
        banditgym.BoxActions(gymnasium.make("ArmedBandit-v0"))


class Walk(gymnasium.Env):
    """An episode of 9 or more rounds, which ends by itself; actions 5, 6, 7 pay a tenth, or -1."""

    observation_space, action_space = Discrete(100), Discrete(3, start=5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.length, self.t = 9 + int(self.np_random.integers(20)), 0
        return 0, {"length": self.length}

    def step(self, action):
        self.t += 1
        reward = -1.0 if self.t % 4 == 0 else action / 10
        return self.t, reward, self.t == self.length, False, {"left": self.length - self.t}


def listed(
    seed, episode, rewards, *, delay=0, missing=0.0, window=None, update_every=1, end="lost"
):
    """What arrives in each round (round, reward), by a list of the open rewards."""
    delays, lost = (Stream([seed], ENVIRONMENT, of, episode) for of in (DELAYS, MISSING))
    due, paid = [], []
    for t, (arm, reward) in enumerate(rewards):
        never = lost.uniform(t)[0] < np.broadcast_to(missing, 3)[arm]
        when = t + int(read_law(delay).draw(delays.uniform(t), t, np.array([arm]))[0])
        if window is not None and (never or reward <= 0 or when > t + window):
            when, reward, never = t + window, 0.0, False
        while (when + 1) % update_every:
            when += 1
        if end == "delivered":
            when = min(when, len(rewards) - 1)
        due.append(-1 if never else when)
        paid.append(reward)
    return [[(s, paid[s]) for s in range(t + 1) if due[s] == t] for t in range(len(rewards))]


@pytest.mark.parametrize(
    "late",
    [
        {"delay": 3},
        {"delay": GEOMETRIC, "missing": 0.3},
        {"delay": {"kind": "per_arm", "delays": [0, 2, 5]}, "missing": [0.0, 0.5, 0.1]},
        {"delay": GEOMETRIC, "window": 3, "missing": 0.2},
        {"update_every": 4},
        {"delay": GEOMETRIC, "update_every": 5, "end": "delivered"},
    ],
    ids=str,
)
def test_late_rewards_of_any_environment_are_those_of_a_list(late):
    given = {"at_end" if name == "end" else name: value for name, value in late.items()}
    env = LateReward(Walk(), **given)
    for episode in range(3):
        _, info = env.reset(seed=11 if episode == 0 else None)
        assert info["arrivals"] == {"round": [], "action": [], "reward": []}
        played, steps, over = [], [], False
        while not over:
            action = 5 + len(steps) % 3
            _, total, over, _, info = env.step(action)
            own = -1.0 if (len(steps) + 1) % 4 == 0 else action / 10
            played.append((action - 5, own))
            steps.append((total, info))
            assert info["reward"] == own
            assert "left" in info
        come = listed(11, episode, played, **late)
        for (total, info), expected in zip(steps, come, strict=True):
            arrivals = info["arrivals"]
            assert list(zip(arrivals["round"], arrivals["reward"], strict=True)) == expected
            assert arrivals["action"] == [5 + played[t][0] for t, _ in expected]
            assert total == sum(reward for _, reward in expected)
        assert env.unwrapped.length == len(steps)
        if late.get("end") == "delivered":
            assert steps[-1][1]["open"] == 0


def test_delays_are_those_of_the_setting():
    late = {"delay": GEOMETRIC, "missing": 0.2, "update_every": 3, "at_end": "delivered"}
    ours = gymnasium.make("ArmedBandit-v0", horizon=30, **late)
    wrapped = LateReward(gymnasium.make("ArmedBandit-v0", horizon=30), **late)
    for seed in (4, None):
        assert ours.reset(seed=seed)[1] == wrapped.reset(seed=seed)[1]
        for t in range(30):
            assert ours.step(t % 10) == wrapped.step(t % 10)


def late_walk():
    return LateReward(Walk(), delay=GEOMETRIC, at_end="delivered")


def test_it_continues_from_a_pickle():
    env = late_walk()
    env.reset(seed=3)
    for _ in range(4):
        env.step(6)
    again = pickle.loads(pickle.dumps(env))
    for _ in range(5):
        assert again.step(7) == env.step(7)


@pytest.mark.parametrize("vector", [SyncVectorEnv, AsyncVectorEnv])
def test_it_plays_in_vectors(vector):
    env, envs = late_walk(), vector([late_walk, late_walk])
    env.reset(seed=3)
    envs.reset(seed=2)
    for _ in range(8):
        [*_, alone], [*_, infos] = env.step(6), envs.step(np.full(2, 6))
        assert infos["arrivals"]["round"][1] == alone["arrivals"]["round"]
        assert infos["open"][1] == alone["open"]
    envs.close()


def test_bad_settings_are_refused():
    for late, message in (
        ({}, "needs one of delay, missing, window, update_every"),
        ({"at_end": "delivered"}, "needs one of"),
        ({"delay": -1}, "delay must be an integer >= 0"),
        ({"delay": {"kind": "per_arm", "delays": [1]}}, "delay has 1 arms, but there are 3"),
        ({"delay": {"kind": "table", "values": [1]}}, "an episode has no end"),
    ):
        with pytest.raises(ValueError, match=message):
            LateReward(Walk(), **late)
    with pytest.raises(ValueError, match="needs an environment of Discrete actions"):
        LateReward(gymnasium.make("BallBandit-v0"), delay=1)


class PlainBuffer:
    """What is added, and how often it was sampled."""

    def __init__(self):
        self.rows = []

    def add(self, *parts):
        self.rows.append(parts)

    def size(self):
        return len(self.rows)

    def sample(self, size):
        return self.rows[:size]


class LatePlainBuffer(LateReplay, PlainBuffer):
    pass


def info(*arrivals, arrival=0):
    rounds, rewards = [list(part) for part in zip(*arrivals, strict=True)] or ([], [])
    return {"arrival": arrival, "arrivals": {"round": rounds, "reward": rewards}}


def add(buffer, t, done, infos):
    """The transition of round t; its observations and its actions say t and the environment."""
    seen = np.array([[t, i] for i in range(len(infos))])
    rewards = np.full(len(infos), np.nan)  # not used
    buffer.add(seen, seen + 1, 10 * seen[:, 1:], rewards, np.array(done), infos)


def test_a_transition_is_stored_with_its_own_reward():
    buffer = LatePlainBuffer()
    with pytest.raises(ValueError, match="no reward has arrived so far"):
        buffer.sample(1)
    add(buffer, 0, [False], [info()])
    add(buffer, 1, [False], [info(arrival=-1)])
    assert buffer.size() == 0
    add(buffer, 2, [True], [info((2, 0.25), (0, 0.5))])
    add(buffer, 3, [False], [info((0, 0.75))])  # round 0 of the next episode
    stored = [(row[0][0, 0], row[3][0], row[4][0]) for row in buffer.sample(9)]
    assert stored == [(2, 0.25, True), (0, 0.5, False), (3, 0.75, False)]
    np.testing.assert_array_equal(buffer.rows[0][1], [[3, 1]])
    with pytest.raises(ValueError, match="needs info"):
        add(buffer, 4, [False], [{}])


def test_transitions_wait_for_those_of_every_environment():
    buffer = LatePlainBuffer()
    add(buffer, 0, [False, True], [info((0, 1.0)), info()])  # the second ends: its reward is lost
    add(buffer, 1, [False, False], [info((1, 2.0)), info((0, 3.0))])
    [(seen, after, actions, rewards, dones, infos)] = buffer.rows
    np.testing.assert_array_equal(seen, [[0, 0], [1, 1]])
    np.testing.assert_array_equal(after, seen + 1)
    np.testing.assert_array_equal(actions, [[0], [10]])
    assert rewards.tolist() == [1.0, 3.0]
    assert dones.tolist() == [False, False]
    assert [each["arrivals"]["reward"] for each in infos] == [[1.0], [3.0]]


def test_observations_may_be_mappings():
    buffer = LatePlainBuffer()
    seen = {"a": np.ones((1, 2)), "b": np.zeros((1, 1))}
    buffer.add(seen, seen, np.ones(1), np.ones(1), np.zeros(1, bool), [info((0, 1.0))])
    seen["a"][:] = 7  # the caller's own
    np.testing.assert_array_equal(buffer.rows[0][0]["a"], [[1, 1]])
