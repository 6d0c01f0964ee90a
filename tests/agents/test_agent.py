"""What the base class promises: shapes, reset, refusals, bad input."""

import copy
import functools
import itertools
from dataclasses import dataclass, replace
from typing import ClassVar

import gymnasium
import numpy as np
import pytest

import agents
from agents.agent import Agent, noise_level
from agents.storage.states import equal
from banditgym.action_sets import Ball
from banditgym.functions.covariances import RBF
from banditgym.tasks import (
    ArmedTask,
    ConvexSetTask,
    KernelTask,
    LinearTask,
    LogisticTask,
    LossTask,
    MulticlassTask,
    RegressionTask,
)


def linear_task(n_arms=4, dim=3, **given):
    known = {"noise_std": 0.1, "subgaussian": 0.1, "feature_norm": 1.0, "param_norm": 1.0}
    return LinearTask(n_arms=n_arms, dim=dim, horizon=99, **{**known, **given})


ARMED = ArmedTask(n_arms=4, horizon=99, noise_std=None, subgaussian=0.5, bernoulli=True)
ROWS = RegressionTask(
    dim=3, horizon=99, noise_std=0.1, subgaussian=0.1, feature_norm=1.0, param_norm=1.0
)
POINTS = LossTask(dim=3, horizon=99, action_set=Ball(3), gradient_norm=1.0)
LABELS = MulticlassTask(n_labels=2, dim=2, width=2, horizon=99)
RANKINGS = MulticlassTask(n_labels=3, dim=2, width=2, horizon=99, slots=2)
FUNCTIONS = KernelTask(
    n_arms=4, dim=2, horizon=99, noise_std=0.1, subgaussian=0.1, covariance=RBF(), param_norm=1.0,
    arms=np.arange(8.0).reshape(4, 2),
)  # fmt: skip
SET = ConvexSetTask(
    dim=3, horizon=99, noise_std=0.1, subgaussian=0.1, param_norm=1.0, feature_norm=1.0,
    action_set=Ball(3),
)  # fmt: skip
BEST = (replace(ARMED, objective="best_arm"), replace(ARMED, objective="best_arm", delta=0.1))
CLICKS = LogisticTask(
    n_arms=4, dim=3, horizon=99, noise_std=None, subgaussian=0.5, feature_norm=1.0, param_norm=2.0
)
TASKS = (
    ARMED,
    *BEST,
    linear_task(),
    linear_task(fixed_arms=True),
    CLICKS,
    FUNCTIONS,
    SET,
    ROWS,
    POINTS,
    LABELS,
    RANKINGS,
)
X = np.zeros((2, 4, 3))


def arrays_of(agent):
    """The arrays of an agent's state, its model's included."""
    parts = [vars(agent)]
    if hasattr(agent, "model"):
        model = agent.model
        parts.append(model._asdict() if isinstance(model, tuple) else vars(model))
    return [v for part in parts for v in part.values() if isinstance(v, np.ndarray)]


@dataclass(kw_only=True, eq=False)
class Recorder(Agent):
    """Keeps what the base class hands on."""

    accepts: ClassVar = (LinearTask,)

    def _start(self):
        self.got = []

    def _choose(self, contexts):
        self.got.append(contexts)
        return np.arange(self.n) % self.task.n_arms

    def _learn(self, contexts, actions, reward, observed):
        self.got.append((contexts, actions, reward, observed))


def test_contexts_are_features_by_arms_contiguous_and_read_only():
    x = np.random.default_rng(0).standard_normal((2, 4, 3))
    forms = {
        "C": x,
        "F": np.asfortranarray(x),
        "envs": np.ascontiguousarray(x.transpose(0, 2, 1)).transpose(0, 2, 1),
        "strided": np.repeat(x, 2, axis=2)[:, :, ::2],
        "list": x.tolist(),
        "float32": x.astype(np.float32),
        "swapped": x.astype(">f8"),
    }
    for name, form in forms.items():
        agent = Recorder().reset(linear_task(), n=2)
        agent.act(form)
        [contexts] = agent.got
        assert contexts.dtype == np.float64
        assert contexts.dtype.isnative
        assert contexts.shape == (2, 3, 4)
        assert contexts.flags.c_contiguous
        assert not contexts.flags.writeable
        expected = x.astype(np.float32) if name == "float32" else x
        np.testing.assert_array_equal(contexts, expected.transpose(0, 2, 1))
    assert x.flags.writeable  # what was handed in is left as it was


def test_the_environments_own_features_are_not_copied():
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=2, n_arms=4, dim=3)
    features, _ = env.reset(seed=0)
    agent = Recorder().reset(env.unwrapped.task, n=2)
    agent.act(features)
    assert np.shares_memory(agent.got[0], features)


def test_solo_takes_the_axis_off():
    env = gymnasium.make("LinearBandit-v0", n_arms=4, dim=3)
    features, _ = env.reset(seed=0)
    agent = Recorder().reset(env.unwrapped.task)
    assert agent.solo
    assert agent.n == 1
    arm = agent.act(features)
    assert type(arm) is int
    agent.observe(features, np.int32(2), np.float32(0.5), observed=np.bool_(False))
    contexts, (learned, arms, reward, observed) = agent.got
    assert contexts.shape == learned.shape == (1, 3, 4)
    np.testing.assert_array_equal(contexts[0], features.T)
    assert (arms.tolist(), reward.tolist(), observed.tolist()) == ([2], [0.5], [False])
    assert (arms.dtype, reward.dtype) == (np.int64, np.float64)
    batch = Recorder().reset(env.unwrapped.task, n=1)
    assert batch.act(features[None]).shape == (1,)


def test_rewards_and_arms_come_in_many_forms():
    agent = Recorder().reset(linear_task(), n=3)
    x = np.zeros((3, 4, 3))
    agent.observe(x, [0, 1, 3], [1, 0, 1])
    agent.observe(x, np.array([0, 1, 3], np.uint8), np.ones(3, np.float32), observed=[1, 0, 1])
    for _, arms, reward, observed in agent.got:
        assert arms.tolist() == [0, 1, 3]
        assert (arms.dtype, reward.dtype, observed.dtype) == (np.int64, np.float64, np.bool_)
        assert arms.flags.c_contiguous
        assert reward.flags.c_contiguous


def test_strided_arms_and_rewards():
    """Every second of a longer array, as slices of a buffer are."""
    plain, strided = (agents.LinUCB().reset(linear_task(), n=3) for _ in range(2))
    x = np.random.default_rng(0).standard_normal((3, 4, 3))
    arms, reward = np.array([0, 2, 3]), np.array([1.0, 0.5, -1.0])
    plain.observe(x, arms, reward)
    strided.observe(x, np.repeat(arms, 2)[::2], np.repeat(reward, 2)[::2])
    np.testing.assert_array_equal(plain.model.theta, strided.model.theta)


def test_reset_forgets_everything_and_returns_the_agent():
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=3, horizon=40)
    agent = agents.LinTS()
    first = agents.play(env, agent)
    agent.leftover = 3
    assert agent.reset(linear_task(), n=2, seed=5) is agent
    assert not hasattr(agent, "leftover")
    assert agent.model.theta.shape == (2, 3)
    assert not agent.model.theta.any()
    np.testing.assert_array_equal(agents.play(env, agent).regret, first.regret)


@pytest.mark.parametrize("n", [0, -1, 1.5, "2", True])
def test_a_bad_number_of_replicates_is_refused(n):
    with pytest.raises(ValueError, match=f"n must be an integer >= 1, got {n!r}"):
        agents.LinUCB().reset(linear_task(), n=n)


@pytest.mark.parametrize("seed", [-1, 1.5, [0], [0, 1, 2], "01", None, [0, -1]])
def test_a_bad_seed_is_refused(seed):
    with pytest.raises(ValueError, match="seed"):
        agents.LinTS().reset(linear_task(), n=2, seed=seed)


@pytest.mark.parametrize(
    ("task", "given"),
    [(linear_task(), {"n": 0}), (linear_task(), {"n": 2, "seed": -1}), (ARMED, {"n": 2})],
    ids=["n", "seed", "task"],
)
def test_a_reset_that_is_refused_loses_nothing(task, given):
    agent = agents.LinTS().reset(linear_task(), n=2, seed=3)
    agent.observe(X, [0, 1], [1.0, 0.5])
    before = {name: copy.deepcopy(value) for name, value in vars(agent).items()}
    with pytest.raises(ValueError, match="n must be|seed|cannot play"):
        agent.reset(task, **given)
    assert vars(agent).keys() == before.keys()
    np.testing.assert_array_equal(agent.model.theta, before["model"].theta)


def test_seeds_are_consecutive_or_given():
    assert agents.LinTS().reset(linear_task(), n=3, seed=4).seeds == [4, 5, 6]
    given = [2**70, 0, np.uint8(9)]
    assert agents.LinTS().reset(linear_task(), n=3, seed=given).seeds == [2**70, 0, 9]


def test_hyperparameters_are_keywords():
    with pytest.raises(TypeError):
        agents.LinUCB(0.5)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("arguments", "given", "message"),
    [
        ((X, [0, 4], [1, 1]), {}, "replicate 1 played arm 4, which is not one of 0..3"),
        ((X, [-1, 0], [1, 1]), {}, "replicate 0 played arm -1, which is not one of 0..3"),
        ((X, [0, 1], [1, np.nan]), {}, "^the reward of replicate 1 is not finite: nan$"),
        ((X, [0, 1], [-np.inf, 0]), {}, "^the reward of replicate 0 is not finite: -inf$"),
        ((X, [0.0, 1.0], [1, 1]), {}, "expected 2 arms"),
        ((X, [True, False], [1, 1]), {}, "expected 2 arms"),
        ((X, 0, [1, 1]), {}, "expected 2 arms"),
        ((X, [0, 1, 2], [1, 1]), {}, "expected 2 arms"),
        ((X, [0, 1], 1.0), {}, "expected 2 rewards"),
        ((X, [0, 1], [[1, 1]]), {}, "expected 2 rewards"),
        ((X, [0, 1], [1, 1]), {"observed": [True]}, "observed must be of shape"),
        ((X, [0, 1], [1, 1]), {"observed": True}, "observed must be of shape"),
        ((X[:, :3], [0, 1], [1, 1]), {}, r"features of shape \(2, 4, 3\), got \(2, 3, 3\)"),
        ((X[0], [0, 1], [1, 1]), {}, r"features of shape \(2, 4, 3\), got \(4, 3\)"),
        ((X[..., None], [0, 1], [1, 1]), {}, r"features of shape \(2, 4, 3\)"),
        ((X + np.nan, [0, 1], [1, 1]), {}, "replicate 0 .*finite"),
    ],
)
@pytest.mark.parametrize("name", ["LinUCB", "LinTS", "DisjointLinUCB", "OFUL"])
def test_bad_input_is_one_clear_line_and_learns_nothing(name, arguments, given, message):
    agent = agents.resolve(name).reset(linear_task(), n=2)
    agent.act(X)
    before = copy.deepcopy(arrays_of(agent))
    with pytest.raises(ValueError, match=message) as caught:
        agent.observe(*arguments, **given)
    assert "\n" not in str(caught.value)
    for kept, now in zip(before, arrays_of(agent), strict=True):
        assert kept.tobytes() == now.tobytes()


@pytest.mark.parametrize("name", ["LinUCB", "LinTS", "DisjointLinUCB", "OFUL", "Greedy"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("fixed", [False, True])
def test_acting_on_features_that_are_not_finite_raises(name, bad, fixed):
    agent = agents.resolve(name).reset(linear_task(fixed_arms=fixed), n=2)
    x = np.random.default_rng(0).standard_normal((2, 4, 3))
    x[1, 2, 0] = bad
    with pytest.raises(ValueError, match="replicate 1 .*finite"):
        agent.act(x)


@pytest.mark.parametrize("name", ["LinUCB", "OFUL", "DisjointLinUCB", "LinTS", "Greedy"])
@pytest.mark.parametrize(("n_arms", "fixed"), [(9, False), (3, True), (9, True)])
def test_finite_features_of_any_length_are_played_or_refused(name, fixed, n_arms):
    """An agent may refuse what double precision cannot hold: then it says so, and does not call
    features infinite that are not. It may not go on with a state that is not finite."""
    task = linear_task(n_arms=n_arms, dim=5, fixed_arms=fixed, feature_norm=None)
    rng = np.random.default_rng(0)
    agent = agents.resolve(name).reset(task, n=3)
    refused = ""
    x = 1e8 * rng.standard_normal((3, n_arms, 5))
    for _ in range(100):
        if not fixed:
            x = 1e8 * rng.standard_normal((3, n_arms, 5))
        try:
            agent.observe(x, agent.act(x), rng.standard_normal(3))
        except ValueError as error:
            refused = str(error)
            break
        assert all(np.isfinite(array).all() for array in arrays_of(agent))
    assert "not finite" not in refused


def test_an_unobserved_reward_may_be_anything_but_its_arm_may_not():
    agent = agents.UCB1().reset(ARMED, n=2)
    hidden = np.array([True, False])
    agent.observe(np.zeros(2, int), [0, 1], [1.0, np.nan], observed=hidden)
    assert agent.pulls.tolist() == [[1, 0, 0, 0], [0, 0, 0, 0]]
    with pytest.raises(ValueError, match="replicate 1 played arm 7"):
        agent.observe(np.zeros(2, int), [0, 7], [1.0, 0.0], observed=hidden)


@pytest.mark.parametrize("name", ["LinUCB", "FastLinUCB", "CBRAP", "EpsilonGreedy", "OFUL"])
@pytest.mark.parametrize("n_arms", [2, 5])
def test_what_is_not_observed_before_the_first_act_is_not_met(name, n_arms):
    agent = getattr(agents, name)().reset(linear_task(n_arms, fixed_arms=True), n=2)
    other = copy.deepcopy(agent)
    agent.observe(np.zeros((2, n_arms, 3)), [0, 1], [np.nan] * 2, observed=[False] * 2)
    assert equal(vars(agent), vars(other))
    x = np.random.default_rng(0).standard_normal((2, n_arms, 3))
    for _ in range(10):
        arms = agent.act(x)
        np.testing.assert_array_equal(arms, other.act(x))
        for one in (agent, other):
            one.observe(x, arms, arms - 1.0)


@pytest.mark.parametrize("name", agents.AGENTS)
def test_facts_are_what_is_taken_from_the_task(name):
    agent = agents.resolve(name)
    for fact in agent.facts():
        assert getattr(agent, fact) is None
        assert fact in agent.from_task
    values = dict.fromkeys(agent.facts(), 0.25) | {"covariance": RBF(), "cycles": 3, "window": 3}
    values["horizon"] = 3
    given = type(agent)(**{fact: values[fact] for fact in agent.facts()})
    assert given.facts() == ()


@pytest.mark.parametrize("name", ["LinTS", "OFUL"])
def test_a_fact_that_nobody_knows_is_asked_for(name):
    task = linear_task(noise_std=None, subgaussian=None)
    with pytest.raises(ValueError, match=f"{name} .*needs noise_std.*give it"):
        agents.resolve(name).reset(task)
    agents.resolve(f"{name}(noise_std=0.1)").reset(task)


def test_the_noise_level_is_r_or_else_the_standard_deviation():
    assert noise_level(linear_task(noise_std=0.3, subgaussian=0.5)) == 0.5
    assert noise_level(linear_task(noise_std=0.3, subgaussian=None)) == 0.3


@pytest.mark.parametrize("name", agents.AGENTS)
def test_the_state_is_counted_in_bytes(name):
    """Per replicate: what grows is n times it, beside what replicates share."""
    agent = agents.resolve(name)
    [task, *_] = [task for task in TASKS if not agent.refusal(task)]
    small, large = (type(agent)().reset(task, n=n).state_bytes() for n in (10, 20))
    assert small > 0
    assert small <= large <= 2 * small


@dataclass(kw_only=True, eq=False)
class LabelRecorder(Recorder):
    """Keeps what it gets of labels; shows the first labels there are."""

    accepts: ClassVar = (MulticlassTask,)

    def _choose(self, contexts):
        self.got.append(contexts)
        if self.task.slots is None:
            return np.zeros(self.n, np.int64)
        return np.tile(np.arange(self.task.slots), (self.n, 1))


@dataclass(kw_only=True, eq=False)
class TrueLabelRecorder(LabelRecorder):
    full_information: ClassVar = True


@pytest.mark.parametrize("slots", [None, 1, 2])
@pytest.mark.parametrize("sparse", [True, False])
def test_labels_are_played_and_learned_from(sparse, slots):
    envs = gymnasium.make_vec("SynSep-v0", num_envs=3, slots=slots, sparse=sparse)
    agent = LabelRecorder().reset(envs.unwrapped.task, n=3)
    full = TrueLabelRecorder().reset(envs.unwrapped.task, n=3)
    observation, _ = envs.reset(seed=0)
    for _ in range(4):
        action = agent.act(observation)
        following, reward, *_, info = envs.step(action)
        agent.observe(observation, action, reward, feedback=info.get("feedback"))
        full.observe(observation, action, reward, feedback=info["label"])
        before, (contexts, actions, outcome, observed) = agent.got[-2:]
        assert contexts is before  # converted once a round
        values = observation["values"] if sparse else observation
        assert np.shares_memory(contexts[1], values)
        assert contexts[0].shape == values.shape
        np.testing.assert_array_equal(actions, action)
        np.testing.assert_array_equal(outcome, reward if slots is None else info["feedback"])
        np.testing.assert_array_equal(full.got[-1][2], info["label"])
        assert observed.all()
        observation = following
    with pytest.raises(ValueError, match="give feedback=info.'label'."):
        full.observe(observation, action, reward)


def test_labels_solo():
    env = gymnasium.make("SynSep-v0", slots=2)
    agent = TrueLabelRecorder().reset(env.unwrapped.task)
    observation, _ = env.reset(seed=0)
    action = agent.act(observation)
    assert action.tolist() == [0, 1]
    _, reward, *_, info = env.step(action)
    agent.observe(observation, action, reward, feedback=info["label"])
    before, (contexts, actions, outcome, _) = agent.got
    assert contexts is before
    assert actions.tolist() == [[0, 1]]
    assert outcome.tolist() == [info["label"]]
    agent = LabelRecorder().reset(gymnasium.make("SynSep-v0").unwrapped.task)
    assert type(agent.act(observation)) is int


@pytest.mark.parametrize("solo", [False, True])
@pytest.mark.parametrize("sparse", [True, False])
def test_what_is_written_to_an_observation_is_seen(sparse, solo):
    make = gymnasium.make if solo else functools.partial(gymnasium.make_vec, num_envs=2)
    env = make("SynSep-v0", sparse=sparse)
    agent = LabelRecorder().reset(env.unwrapped.task, n=None if solo else 2)
    observation, _ = env.reset(seed=0)
    action = agent.act(observation)
    (observation["values"] if sparse else observation)[..., :3] = 7.0
    agent.observe(observation, action, 0.0 if solo else np.zeros(2))
    contexts, *_ = agent.got[-1]
    assert (contexts[1][:, :3] == 7.0).all()
    (observation["values"] if sparse else observation)[..., 1] = np.nan
    with pytest.raises(ValueError, match="the features of replicate 0 .* finite"):
        agent.observe(observation, action, 0.0 if solo else np.zeros(2))
    if sparse:
        observation["values"][..., 1], observation["indices"][..., -1] = 0.0, 400
        with pytest.raises(ValueError, match=r"features of replicate 0 .* in 0\.\.399"):
            agent.observe(observation, action, 0.0 if solo else np.zeros(2))


def test_a_buffer_that_is_used_again_is_read_again():
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=2)
    one, two = (agents.LinUCB().reset(env.unwrapped.task, n=2) for _ in range(2))
    buffer = np.empty((2, 10, 5))
    observation, _ = env.reset(seed=0)
    for _ in range(20):
        buffer[:] = observation
        action = one.act(observation)
        np.testing.assert_array_equal(two.act(buffer), action)
        following, reward, *_ = env.step(action)
        one.observe(observation, action, reward)
        two.observe(buffer, action, reward)
        observation = following
    buffer[:] = observation
    np.testing.assert_array_equal(two.act(buffer), one.act(observation))


def test_an_array_laid_into_the_same_mapping_is_seen():
    envs = gymnasium.make_vec("SynSep-v0", num_envs=2)
    agent = LabelRecorder().reset(envs.unwrapped.task, n=2)
    observation, _ = envs.reset(seed=0)
    action = agent.act(observation)
    observation["indices"] = observation["indices"] + 400
    with pytest.raises(ValueError, match=r"features of replicate 0 .* in 0\.\.399"):
        agent.observe(observation, action, np.zeros(2))


def test_nothing_is_no_observation_where_features_are_shown():
    agent = agents.LinUCB().reset(gymnasium.make("LinearBandit-v0").unwrapped.task)
    with pytest.raises(ValueError, match=r"expected features of shape \(10, 5\)"):
        agent.act(None)


def test_a_solo_agent_counts_its_decisions_in_place():
    agent = agents.UCB1().reset(ARMED)
    counter = agent.decisions
    for made in range(1, 4):
        assert type(agent.act(None)) is int
        assert agent.decisions is counter
        assert (counter.dtype, counter.tolist()) == (np.int64, [made])


def test_an_unknown_hyperparameter_has_pythons_words_and_the_nearest_name():
    words = r"LinUCB\(\) got an unexpected keyword argument 'aplha'; did you mean alpha\?"
    with pytest.raises(TypeError, match=words):
        agents.LinUCB(aplha=1)


def test_a_constructor_of_ones_own_takes_what_it_takes():
    class Mine(agents.LinUCB):
        def __init__(self, width):
            super().__init__(alpha=width / 2)

    assert Mine(width=3.0).alpha == 1.5
    with pytest.raises(TypeError, match=r"'widths'; did you mean width\?"):
        Mine(widths=3.0)


@pytest.mark.parametrize(
    ("agent", "env", "able"),
    [
        ("LinUCB", "ArmedBandit-v0", "UCB1, KLUCB, BetaThompson and others can"),
        ("UCB1", "LinearBandit-v0", "Greedy, EpsilonGreedy, LinUCB and others can"),
        ("BallOFUL", "LpBallBandit-v0", "PEGE, FastPEGE, BallTS and ExploreThenCommit can"),
    ],
)
def test_a_refusal_names_agents_that_play_the_task(agent, env, able):
    task = gymnasium.make(env).unwrapped.task
    with pytest.raises(ValueError, match=f"{agent} cannot play this task: .*; {able}$"):
        agents.resolve(agent).reset(task)


VARYING = {
    "armed": ("ArmedBandit-v0", {"n_arms": 4}),
    "linear": ("LinearBandit-v0", {"n_arms": 4, "dim": 2}),
    "fixed": ("LinearBandit-v0", {"n_arms": 4, "dim": 2, "fixed_arms": True}),
    "few fixed": ("LinearBandit-v0", {"n_arms": 4, "dim": 6, "fixed_arms": True}),
    "logistic": ("LogisticBandit-v0", {"n_arms": 4, "dim": 2, "param_norm": 3.0}),
    "kernelized": ("KernelBandit-v0", {"n_arms": 4, "dim": 1}),
    "changing": ("KernelBandit-v0", {"n_arms": 4, "function": "branin", "fixed_arms": False}),
}
FOLLOWING = [
    name
    for name in (*agents.AGENTS, *agents.ON_REQUEST)
    if {ArmedTask, LinearTask, LogisticTask, KernelTask} & set(getattr(agents, name).accepts)
    and not getattr(agents, name).__module__.startswith(("agents.adversarial", "agents.best_arm"))
]


GLR = agents.detectors.GLR(delta=0.5)
GIVEN = {
    "Pending": [
        agents.Pending(inner) for inner in (agents.UCB1(), agents.LinUCB(), agents.GPUCB())
    ],
    "Restarting": [agents.Restarting(inner, GLR) for inner in (agents.UCB1(), agents.LinUCB())],
    "DelayedLinUCB": [agents.DelayedLinUCB(window=3)],
}


def varying(name, available, **settings):
    """An agent with each kind of environment that it plays, whose arms come and go."""
    made = GIVEN[name] if name in GIVEN else [getattr(agents, name)()]
    for agent, (env_id, given) in itertools.product(made, VARYING.values()):
        envs = gymnasium.make_vec(
            env_id, num_envs=2, horizon=60, available=available, **given, **settings
        )
        if agent.refusal(envs.unwrapped.task) is None:
            plain = gymnasium.make_vec(env_id, num_envs=2, horizon=60, **given, **settings)
            yield agent, envs, plain


def test_our_agents_of_arms_follow_masks():
    assert all(getattr(agents, name).follows_masks for name in FOLLOWING)
    assert all(list(varying(name, [[0, [0, 2]]])) for name in FOLLOWING)


@pytest.mark.parametrize("name", FOLLOWING)
def test_where_all_arms_stay_an_agent_plays_as_without_masks(name):
    for agent, envs, plain in varying(name, [[0, [0, 1, 2, 3]]]):
        one, two = agents.play(envs, agent, seed=1), agents.play(plain, agent, seed=1)
        assert one.pulls.tolist() == two.pulls.tolist()
        assert one.regret.tolist() == two.regret.tolist()


@pytest.mark.parametrize("late", [{}, {"delay": 5}, {"update_every": 7}], ids=str)
@pytest.mark.parametrize("name", FOLLOWING)
def test_no_agent_plays_a_withdrawn_arm(name, late):
    """Arms that leave, that come, and that are never there."""
    for agent, envs, _ in varying(name, [[0, [0, 2]], [20, [1, 2]], [40, [0, 1]]], **late):
        trace = agents.play(envs, agent, seed=1, rounds=[60])
        assert not trace.pulls[:, 3].any()
        assert (trace.pulls.sum(axis=1) == 60).all()
        assert (trace.pulls[:, :3] <= 40).all()
        assert (trace.regret >= 0).all()


@pytest.mark.parametrize("name", FOLLOWING)
def test_a_late_reward_of_a_withdrawn_arm_is_learned(name):
    for agent, envs, _ in varying(name, [[0, [0, 1, 2, 3]]]):
        agent.reset(envs.unwrapped.task, n=2)
        shown, _ = envs.reset(seed=0)
        arms = agent.act(shown)
        gone = shown["action_mask"].copy()
        gone[[0, 1], arms] = 0
        others = agent.act(shown | {"action_mask": gone})
        assert (others != arms).all()
        at_once, before = copy.deepcopy(agent), copy.deepcopy(vars(agent))
        at_once.observe(shown, arms, np.ones(2), decision=0)
        agent.observe(shown | {"action_mask": gone}, arms, np.ones(2), decision=0)
        assert equal(vars(agent), vars(at_once))
        assert equal(vars(agent), before) == (name == "UniformRandom")


def test_agents_that_know_no_masks_refuse_arms_that_come_and_go():
    task = gymnasium.make("LinearBandit-v0", available=[[0, [1, 2]]]).unwrapped.task
    for agent in (Recorder(), *(getattr(agents, name)() for name in agents.LIBRARY_AGENTS)):
        if LinearTask in agent.accepts:
            with pytest.raises(ValueError, match="its arms come and go.* can$") as told:
                agent.reset(task)
            assert "\n" not in str(told.value)
