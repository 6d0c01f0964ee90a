"""ScalarAgent: n agents of one replicate behave as n agents."""

import dataclasses
from dataclasses import dataclass

import gymnasium
import numpy as np
import pytest

import agents
from banditgym import tasks
from banditgym.rounds.kinds import RANKING, REWARD
from banditgym.streams import AGENT


@dataclass(kw_only=True, eq=False)
class Leader(agents.ScalarAgent):
    """Follow the leader, with a little noise; on features, the arm with the longest ones."""

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


@pytest.mark.parametrize("env_id", ["ArmedBandit-v0", "LinearBandit-v0"])
def test_equals_a_loop_over_its_replicates(env_id):
    seeds = [4, 9, 0]
    env = gymnasium.make_vec(env_id, num_envs=3, n_arms=4, horizon=80)
    trace = agents.play(env, Leader(epsilon=0.3), seed=seeds)
    for i, seed in enumerate(seeds):
        single = gymnasium.make(env_id, n_arms=4, horizon=80)
        one = Leader(epsilon=0.3)
        [own] = agents.derived_seeds(seed)
        rng = np.random.default_rng(np.random.SeedSequence(own, spawn_key=(AGENT, 0, 0)))
        one.begin(single.unwrapped.task, rng)
        observation, _ = single.reset(seed=seed)
        pulls = np.zeros(4, int)
        for _ in range(80):
            contexts = None if env_id == "ArmedBandit-v0" else np.array(observation)
            arm = one.choose(contexts)
            pulls[arm] += 1
            observation, reward, *_ = single.step(arm)
            one.learn(contexts, arm, reward)
        np.testing.assert_array_equal(trace.pulls[i], pulls)


def test_what_an_agent_does_not_define_is_named():
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


def test_arms_out_of_range_are_refused_by_the_environment():
    @dataclass(kw_only=True, eq=False)
    class Beyond(Leader):
        def choose(self, contexts):
            return -1

    env = gymnasium.make_vec("ArmedBandit-v0", num_envs=2, horizon=5)
    with pytest.raises(ValueError, match="-1"):
        agents.play(env, Beyond())


@dataclass(kw_only=True, eq=False)
class Twin(agents.ScalarAgent):
    """One of our batched agents, asked through the hooks: a hook must be given what it is given."""

    accepts = tuple(kind for kind in vars(tasks).values() if dataclasses.is_dataclass(kind))
    name: str
    seed: int

    def begin(self, task, rng):
        if task.family == "multiclass":  # rows are dense
            task = dataclasses.replace(task, sparse=False, width=task.dim)
        if task.family == "kernelized" and task.action_set is None:  # arms are shown
            task = dataclasses.replace(task, fixed_arms=False, arms=None)
        self.inner = agents.resolve(self.name).reset(task, seed=self.seed)
        self.task = task

    def choose(self, contexts):
        assert contexts is None or not contexts.flags.writeable
        return self.inner.act(contexts)

    def learn(self, contexts, action, outcome):
        assert contexts is None or not contexts.flags.writeable
        reward, feedback = outcome, None
        if self.task.reveals is not REWARD or self.inner.full_information:
            reward, feedback = 0.0, outcome
        elif self.task.plays is RANKING:
            reward, feedback = float(outcome >= 0), outcome
        self.inner.observe(contexts, action, reward, feedback=feedback, decision=self.decision)


class Reference(Twin):
    full_information = True


LABELS = {"data": (np.arange(-60.0, 60.0).reshape(40, 3) % 7.0, np.arange(40) ** 2 % 5 % 3)}


@pytest.mark.parametrize(
    ("kind", "agent", "env_id", "settings"),
    [
        (Twin, "UCB1", "ArmedBandit-v0", {}),
        (Twin, "LinTS", "LinearBandit-v0", {"dim": 3}),
        (Twin, "GPUCB", "KernelBandit-v0", {"n_arms": 12}),
        (Twin, "GPUCB", "KernelBandit-v0", {"function": "branin", "fixed_arms": False}),
        (Twin, "GPUCB", "KernelBandit-v0", {"arms": "box", "function": "branin"}),
        (Twin, "BallTS", "EllipsoidBandit-v0", {"dim": 3}),
        (Twin, "CurvatureDescent", "OnlineConvex-v0", {"dim": 3}),
        (Twin, "Forward", "OnlineRegression-v0", {"dim": 3, "bound": 0.2}),
        (Twin, "Banditron", "SynSep-v0", {}),
        (Twin, "SquareCB", "MulticlassBandit-v0", LABELS),
        (Reference, "Perceptron", "MulticlassBandit-v0", LABELS),
        (Twin, "RankingBanditron", "SynSep-v0", {"slots": 3}),
    ],
)
def test_hooks_are_given_what_a_batched_agent_is_given(kind, agent, env_id, settings):
    """Every family: the same rewards on the same seeds, bit for bit."""
    seeds = [3, 8]
    env = gymnasium.make_vec(env_id, num_envs=2, horizon=40, **settings)
    batched = agents.play(env, agents.resolve(agent), seed=seeds)
    for i, seed in enumerate(seeds):
        [own] = agents.derived_seeds(seed)
        env = gymnasium.make_vec(env_id, num_envs=1, horizon=40, **settings)
        scalar = agents.play(env, kind(name=agent, seed=own), seed=[seed])
        np.testing.assert_array_equal(scalar.reward[0], batched.reward[i])


@dataclass(kw_only=True, eq=False)
class ByArticle(agents.ScalarAgent):
    """Greedy by one ridge regression, and a note of which articles were there."""

    accepts = (tasks.NewsTask,)

    def begin(self, task, rng):
        self.gram, self.total = np.eye(task.dim), np.zeros(task.dim)
        self.seen = set()

    def choose(self, articles):
        assert len(self.ids) == len(articles)
        assert not articles.flags.writeable
        self.seen |= set(self.ids.tolist())
        return int(np.argmax(articles @ np.linalg.solve(self.gram, self.total)))

    def learn(self, articles, place, click):
        assert click in (0.0, 1.0)
        self.gram += np.outer(articles[place], articles[place])
        self.total += click * articles[place]


def test_of_news_the_articles_that_are_there_are_shown():
    settings = {"data": "R6B", "n_arms": 22, "horizon": 400}
    env = gymnasium.make_vec("NewsReplay-v0", num_envs=2, **settings)
    trace, greedy = (agents.play(env, agent, seed=4) for agent in (ByArticle(), agents.Greedy()))
    assert trace.reward[:, -1].min() > 0
    np.testing.assert_array_equal(trace.reward, greedy.reward)
    playing = ByArticle().reset(gymnasium.make("NewsReplay-v0", **settings).unwrapped.task)
    shown = {
        "arms": np.zeros((22, playing.task.dim)),
        "action_mask": np.arange(22) % 5 == 3,
        "ids": np.arange(22) + 100,
    }
    assert playing.act(shown) == 3  # of equal ones the first that is there
    assert playing.replicas[0].ids.tolist() == [103, 108, 113, 118]
    shown["arms"][13] = 2.0
    playing.observe(shown, 13, 1.0)
    assert playing.replicas[0].total.tolist() == [2.0] * playing.task.dim


def test_an_agent_that_follows_masks_is_shown_them():
    @dataclass(kw_only=True, eq=False)
    class Available(Leader):
        follows_masks = True

        def choose(self, contexts):
            assert not self.mask.flags.writeable
            there = np.flatnonzero(self.mask)
            return int(there[super().choose(contexts) % len(there)])

    settings = {"n_arms": 4, "horizon": 90, "available": [[0, [0, 2]], [30, [1, 2]]]}
    for env_id in ("ArmedBandit-v0", "LinearBandit-v0"):
        trace = agents.play(gymnasium.make_vec(env_id, num_envs=2, **settings), Available())
        assert (trace.pulls[:, :3] > 0).all()
        assert not trace.pulls[:, 3].any()
        with pytest.raises(ValueError, match="Leader cannot play this task: its arms come and go"):
            agents.play(gymnasium.make(env_id, **settings), Leader())


def test_rows_of_pairs_are_shown_dense_and_may_be_kept():
    @dataclass(kw_only=True, eq=False)
    class Notes(agents.ScalarAgent):
        accepts = (tasks.MulticlassTask,)

        def begin(self, task, rng):
            self.rows = []

        def choose(self, row):
            self.rows.append(row)
            return 0

        def learn(self, row, label, reward):
            np.testing.assert_array_equal(row, self.rows[-1])

    rows = []
    for sparse in (True, False):
        env = gymnasium.make_vec("MulticlassBandit-v0", num_envs=2, **LABELS, sparse=sparse)
        notes = Notes()
        agents.play(env, notes, horizon=20)
        rows.append([replica.rows for replica in notes.replicas])
    assert np.count_nonzero(np.array(rows[1])[:, :, 0]) > 10  # where the padding points
    np.testing.assert_array_equal(*rows)


@pytest.mark.parametrize("place", [-1, 3])
def test_a_place_without_an_article_is_refused(place):
    class Beyond(ByArticle):
        def choose(self, articles):
            return place if place < 0 else len(articles)

    env = gymnasium.make_vec("NewsReplay-v0", num_envs=2, horizon=5)
    with pytest.raises(
        ValueError, match=r"Beyond.choose must return the place of an article, 0 to"
    ):
        agents.play(env, Beyond())


@pytest.mark.parametrize(
    ("env_id", "settings", "action", "said"),
    [
        ("SynSep-v0", {}, 0.5, r"a label, got 0\.5"),
        ("SynSep-v0", {"slots": 2}, [1], r"2 different labels, got \[1\]"),
        ("SynSep-v0", {"slots": 2}, [[0], [1, 2]], "2 different labels, got"),
        ("SynSep-v0", {"slots": 2}, [0.0, 1.0], "2 different labels, got"),
        ("OnlineRegression-v0", {}, "high", "a number, got 'high'"),
        ("OnlineRegression-v0", {}, [0.5], "a number, got"),
        ("BallBandit-v0", {"dim": 2}, 0.5, r"a point \(2,\), got 0\.5"),
        ("OnlineConvex-v0", {"dim": 2}, [0.5], r"a point \(2,\), got \[0\.5\]"),
        ("OnlineConvex-v0", {"dim": 2}, ["a", "b"], r"a point \(2,\), got"),
    ],
)
def test_what_is_no_action_of_the_family_is_named(env_id, settings, action, said):
    class Odd(Twin):
        def begin(self, task, rng):
            pass

        def choose(self, contexts):
            return action

    env = gymnasium.make_vec(env_id, num_envs=2, horizon=5, **settings)
    with pytest.raises(ValueError, match=f"Odd.choose must return {said}"):
        agents.play(env, Odd(name="", seed=0))


def test_predictions_are_clipped_to_the_bound():
    class Far(Twin):
        def begin(self, task, rng):
            self.told = []

        def choose(self, contexts):
            return 7

        def learn(self, contexts, action, outcome):
            self.told.append(action)

    env = gymnasium.make_vec("OnlineRegression-v0", num_envs=2, horizon=3, bound=0.25)
    far = Far(name="", seed=0)
    agents.play(env, far)
    assert far.replicas[1].told == [0.25] * 3


@pytest.mark.parametrize(
    ("env_id", "said"),
    [
        (
            "SynSep-v0",
            r"accepts = \(MulticlassTask,\) and define choose\(row\) -> label, learn\(row, lab",
        ),
        (
            "OnlineRegression-v0",
            r"accepts = \(RegressionTask,\) and define choose\(row\) -> prediction",
        ),
        ("OnlineConvex-v0", r"accepts = \(LossTask,\) and define choose\(None\) -> point"),
        ("BallBandit-v0", r"accepts = \(ConvexSetTask,\) and define choose\(None\) -> point"),
        ("KernelBandit-v0", r"accepts = \(KernelTask,\) and define choose\(arms\) -> arm"),
        ("NewsReplay-v0", r"accepts = \(NewsTask,\) and define choose\(articles\) -> place"),
    ],
)
def test_a_refusal_says_what_to_define(env_id, said):
    task = gymnasium.make(env_id).unwrapped.task
    with pytest.raises(ValueError, match=f"it plays armed and linear tasks, .* set {said}"):
        Leader().reset(task)
