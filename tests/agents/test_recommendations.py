"""What is recommended in an episode, when replicates finish, and what then counts."""

from dataclasses import dataclass
from typing import ClassVar

import gymnasium
import numpy as np
import pytest

import agents
from agents.check.contract import check_agent
from agents.recommendations import recommendations_of
from agents.trace import Sums
from banditgym.tasks import ArmedTask

MEANS = [0.3, 0.8, 0.6]
CONFIDENT = {"objective": "best_arm", "delta": 0.1, "means": MEANS, "horizon": 2000}
BUDGET = {"objective": "best_arm", "means": MEANS, "horizon": 200}
STOPPING = ("LUCB", "TTUCB", "TopTwoThompson", "TrackAndStop")


def make(n=6, **settings):
    return gymnasium.make_vec("ArmedBandit-v0", num_envs=n, **{**CONFIDENT, **settings})


@dataclass(kw_only=True, eq=False)
class Racing(agents.ScalarAgent):
    """Plays all arms in turn, and stops when the best leads by ten wins."""

    accepts: ClassVar = (ArmedTask,)

    def begin(self, task, rng):
        self.wins, self.at, self.over = np.zeros(task.n_arms), 0, False

    def choose(self, contexts):
        return self.at % len(self.wins)

    def learn(self, contexts, arm, reward):
        self.wins[arm] += reward
        self.at += 1
        first, *others = sorted(self.wins, reverse=True)
        self.over = self.at % len(self.wins) == 0 and first - max(others, default=0) >= 10

    def suggest(self, contexts):
        return int(np.argmax(self.wins))

    def is_done(self):
        return bool(self.over)


def by_hand(env, agent, horizon, seed):
    """Arms and rewards (T, n) of the plainest loop, recommendations and finished (T, n)."""
    agent.reset(env.unwrapped.task, n=env.num_envs, seed=agents.derived_seeds(seed, env.num_envs))
    observation, _ = env.reset(seed=seed)
    rows = []
    for _ in range(horizon):
        arms = agent.act(observation)
        following, reward, *_, info = env.step(arms)
        agent.observe(observation, arms, reward)
        observation = following
        row = (arms, reward, info["regret"], agent.recommend(observation), agent.finished)
        rows.append([np.array(one) for one in row])
    return [np.array(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("name", ["Racing", *STOPPING])
def test_measures_are_those_of_a_plain_loop_until_each_replicate_finishes(name):
    new = Racing if name == "Racing" else getattr(agents, name)
    noise = {} if name == "Racing" else {"noise": "gaussian", "noise_std": 0.2}
    trace = agents.play(make(**noise), new(), seed=3, rounds=[5, 60, 200])
    arms, reward, regret, advice, finished = by_hand(make(**noise), new(), 700, 3)
    stopped = np.argmax(finished, axis=0) + 1
    assert finished[-1].all()
    assert len(set(stopped)) > 1
    np.testing.assert_array_equal(trace.stopped, stopped)
    each = np.arange(6)
    np.testing.assert_array_equal(trace.recommended, advice[stopped - 1, each])
    for place, t in enumerate([5, 60, 200, 2000]):
        last = np.minimum(stopped, t)
        lost = max(MEANS) - np.array(MEANS)[advice[last - 1, each]]
        expected = {
            "reward": [reward[:end, i].cumsum()[-1] for i, end in enumerate(last)],
            "optimal": [(regret[:end, i] == 0).sum() for i, end in enumerate(last)],
            "regret": [regret[:end, i].cumsum()[-1] for i, end in enumerate(last)],
            "simple_regret": lost,
            "error": lost > 0,
            "stopping_time": last,
        }
        assert trace.measures.keys() == expected.keys()
        for measure, values in expected.items():
            np.testing.assert_array_equal(trace.measures[measure][:, place], values, measure)
    counts = [np.bincount(arms[:end, i], minlength=3) for i, end in enumerate(stopped)]
    np.testing.assert_array_equal(trace.pulls, counts)


@pytest.mark.parametrize("name", [*STOPPING, "SuccessiveRejects", "SequentialHalving", "UCB1"])
def test_neither_neighbours_nor_tiles_nor_threads_change_a_replicate(name):
    settings = BUDGET if name not in STOPPING else {"noise": "gaussian", "noise_std": 0.4}
    if name not in STOPPING:
        settings = {**settings, "delta": None}
    agent = getattr(agents, name)()
    whole = agents.play(make(7, **settings), agent, seed=3)
    tiled = agents.play(make(7, **settings), agent, seed=3, threads=2)
    first = agents.play(make(2, **settings), agent, seed=3)
    one = {**CONFIDENT, **settings}
    single = agents.play(gymnasium.make("ArmedBandit-v0", **one), agent, seed=5)
    for trace, part in ((tiled, slice(7)), (first, slice(2)), (single, slice(2, 3))):
        for mine, theirs in (
            (whole.stopped, trace.stopped),
            (whole.recommended, trace.recommended),
            (whole.pulls, trace.pulls),
            *((curve, trace.measures[of]) for of, curve in whole.measures.items()),
        ):
            np.testing.assert_array_equal(mine[part], theirs)
    if name in STOPPING:
        assert len(set(whole.stopped)) > 1


def test_agents_that_recommend_nothing_are_taken_to_recommend_what_they_played_most():
    rounds = [1, 2, 3, 50, 130]
    in_blocks = agents.play(make(**BUDGET, delta=None), agents.UCB1(), seed=3, rounds=rounds)

    class Mine(agents.UCB1):
        pass  # as third-party code it plays round by round

    singly = agents.play(make(**BUDGET, delta=None), Mine(), seed=3, rounds=rounds)
    assert set(in_blocks.measures) == {"reward", "regret", "optimal", "simple_regret", "error"}
    for name, curve in in_blocks.measures.items():
        np.testing.assert_array_equal(curve, singly.measures[name])
    np.testing.assert_array_equal(in_blocks.recommended, in_blocks.pulls.argmax(axis=1))
    np.testing.assert_array_equal(in_blocks.stopped, [200] * 6)
    # Of three arms that were played once each, the first: ties go to the lowest index.
    np.testing.assert_allclose(in_blocks.measures["simple_regret"][:, 2], 0.5)
    with pytest.raises(ValueError, match="UCB1 recommends no arm: agents.play takes the one"):
        agents.UCB1().reset(make().unwrapped.task).recommend(0)
    assert not agents.UCB1().reset(make().unwrapped.task, n=2).finished.any()


def test_where_regret_counts_nothing_is_recommended():
    trace = agents.play(make(2, objective="regret", delta=None, horizon=20), agents.UCB1())
    assert (trace.recommended, trace.stopped) == (None, None)
    assert set(trace.measures) == {"reward", "regret", "optimal"}


@pytest.mark.parametrize("kind", ["SyncVectorEnv", "AsyncVectorEnv"])
def test_gymnasiums_vectors_of_single_environments_too(kind):
    settings = {**CONFIDENT, "means": None, "n_arms": 3, "noise": "gaussian", "noise_std": 0.1}
    ours = agents.play(make(3, **settings), agents.TTUCB(), seed=4)
    made = [lambda: gymnasium.make("ArmedBandit-v0", **settings)] * 3
    vector = getattr(gymnasium.vector, kind)(made)
    theirs = agents.play(vector, agents.TTUCB(), seed=4)
    vector.close()
    np.testing.assert_array_equal(ours.stopped, theirs.stopped)
    np.testing.assert_array_equal(ours.measures["simple_regret"], theirs.measures["simple_regret"])


def test_a_recommendation_that_is_no_arm_and_an_environment_that_hides_its_best_are_named():
    class Bad(Racing):
        def suggest(self, contexts):
            return 3

    with pytest.raises(ValueError, match="Bad must recommend arms, got"):
        agents.play(make(2), Bad(), horizon=20)
    env = make(2)
    hiding = type("Hiding", (), {"__repr__": lambda self: "<Hiding>"})()
    sums = Sums(2, 3, np.array([20]))
    with pytest.raises(ValueError, match="found in <Hiding>, so it must define regret_of"):
        recommendations_of(hiding, env.unwrapped.task, sums)


def test_third_party_agents_keep_the_contract():
    check_agent(Racing())


class Forgetful(Racing):
    """Finishes, and begins again with its next choice."""

    def choose(self, contexts):
        self.acts = getattr(self, "acts", 0) + 1
        return super().choose(contexts)

    def is_done(self):
        return getattr(self, "acts", 0) % 7 == 6


class Untaught(Forgetful):
    """The same, and never learns."""

    def learn(self, contexts, arm, reward):
        pass


class Fickle(Racing):
    """Recommends another arm after it has finished."""

    def choose(self, contexts):
        self.acts = getattr(self, "acts", 0) + 1
        return super().choose(contexts)

    def suggest(self, contexts):
        return getattr(self, "acts", 0) % len(self.wins)

    def is_done(self):
        return getattr(self, "acts", 0) > 6


class Undecided(Racing):
    """Draws what it recommends."""

    def suggest(self, contexts):
        self.at += 1
        return self.at % len(self.wins)


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (Undecided(), "recommending changes its state"),
        (Forgetful(), "a replicate that has finished learns from a reward"),
        (Untaught(), "a replicate that had finished has not any more"),
        (Fickle(), "the recommendation of a replicate that has finished changes"),
    ],
)
def test_broken_contracts_are_found(agent, message):
    with pytest.raises(AssertionError, match=message):
        check_agent(agent)
