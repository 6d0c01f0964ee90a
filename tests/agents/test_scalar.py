"""ScalarAgent: n learners of one replicate behave as n learners."""

from dataclasses import dataclass

import gymnasium
import numpy as np
import pytest

import agents
from banditgym.streams import LEARNER


@dataclass(kw_only=True, eq=False)
class Leader(agents.ScalarAgent):
    """Follow the leader, with a little luck; on features, the arm with the longest ones."""

    epsilon: float = 0.2

    def begin(self, task, rng):
        self.sums, self.pulls, self.rng = np.zeros(task.n_arms), np.zeros(task.n_arms), rng

    def choose(self, contexts):
        if self.rng.random() < self.epsilon:
            return int(self.rng.integers(len(self.sums)))
        means = self.sums / np.maximum(self.pulls, 1e-9)
        if contexts is not None:
            means = means + 0.1 * np.abs(contexts).sum(axis=1)
        return int(np.argmax(means))

    def learn(self, contexts, arm, reward):
        assert type(arm) is int
        assert type(reward) is float
        self.sums[arm] += reward
        self.pulls[arm] += 1


@pytest.mark.parametrize("world", ["ArmedBandit-v0", "LinearBandit-v0"])
def test_equals_a_loop_over_its_replicates(world):
    seeds = [4, 9, 0]
    env = gymnasium.make_vec(world, num_envs=3, n_arms=4, horizon=80)
    trace = agents.play(env, Leader(epsilon=0.3), seed=seeds)
    for i, seed in enumerate(seeds):
        single = gymnasium.make(world, n_arms=4, horizon=80)
        one = Leader(epsilon=0.3)
        [own] = agents.derived_seeds(seed)
        rng = np.random.default_rng(np.random.SeedSequence(own, spawn_key=(LEARNER, 0, 0)))
        one.begin(single.unwrapped.task, rng)
        observation, _ = single.reset(seed=seed)
        pulls = np.zeros(4, int)
        for _ in range(80):
            contexts = None if world == "ArmedBandit-v0" else np.array(observation)
            arm = one.choose(contexts)
            pulls[arm] += 1
            observation, reward, *_ = single.step(arm)
            one.learn(contexts, arm, reward)
        np.testing.assert_array_equal(trace.pulls[i], pulls)


def test_what_a_learner_does_not_define_is_named():
    @dataclass(kw_only=True, eq=False)
    class Nothing(agents.ScalarAgent):
        pass

    with pytest.raises(NotImplementedError, match=r"Nothing must define begin\(task, rng\)"):
        Nothing().reset(gymnasium.make("ArmedBandit-v0").unwrapped.task)
    with pytest.raises(NotImplementedError, match=r"Nothing must define choose\(contexts\)"):
        Nothing().choose(None)
    with pytest.raises(NotImplementedError, match=r"Nothing must define learn\(contexts, arm, rew"):
        Nothing().learn(None, 0, 0.0)


def test_keeps_the_contract():
    agents.check_agent(Leader)
    agents.check_agent(Leader(epsilon=0.0))


def test_features_come_as_arms_by_features():
    @dataclass(kw_only=True, eq=False)
    class Looks(Leader):
        def choose(self, contexts):
            assert contexts.shape == (4, 2)
            return 3

    env = gymnasium.make_vec("LinearBandit-v0", num_envs=2, n_arms=4, dim=2, horizon=5)
    assert agents.play(env, Looks()).pulls[:, 3].tolist() == [5, 5]


@pytest.mark.parametrize(
    ("arm", "shown"), [(1.0, "1.0"), (None, "None"), ("0", "'0'"), ([0], "\\[0\\]"), (True, "True")]
)
def test_a_choice_that_is_no_arm_is_named(arm, shown):
    @dataclass(kw_only=True, eq=False)
    class Odd(Leader):
        def choose(self, contexts):
            return arm

    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=2, horizon=5)
    with pytest.raises(ValueError, match=f"Odd.choose must return an arm, got {shown}"):
        agents.play(env, Odd())


def test_one_bad_choice_among_good_ones_is_named():
    @dataclass(kw_only=True, eq=False)
    class Second(Leader):
        def begin(self, task, rng):
            super().begin(task, rng)
            self.first = rng.random() < 0.5

        def choose(self, contexts):
            return 0 if self.first else 0.5

    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=20, horizon=5)
    with pytest.raises(ValueError, match=r"Second.choose must return an arm, got 0\.5"):
        agents.play(env, Second())


def test_arms_out_of_range_are_refused_by_the_world():
    @dataclass(kw_only=True, eq=False)
    class Beyond(Leader):
        def choose(self, contexts):
            return -1

    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=2, horizon=5)
    with pytest.raises(ValueError, match="-1"):
        agents.play(env, Beyond())
