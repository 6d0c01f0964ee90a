"""What arrives at an agent: every form of it becomes the one that kernels take, or is refused."""

import contextlib
import copy
import functools

import gymnasium
import numpy as np
import pytest

import agents
import banditgym  # noqa: F401 (registers the environments)
from agents.check.small_environments import ENVIRONMENTS
from agents.inputs import observations as inputs
from agents.storage.states import equal
from banditgym.action_sets import Ball
from banditgym.tasks import (
    ArmedTask,
    LinearTask,
    LossTask,
    MulticlassTask,
    NewsTask,
    RegressionTask,
)

ARMED = ArmedTask(n_arms=4, horizon=9, noise_std=None, subgaussian=0.5, bernoulli=True)

LINEAR = LinearTask(
    n_arms=4, dim=3, horizon=9, noise_std=0.1, subgaussian=0.1, feature_norm=1.0, param_norm=1.0
)

ROWS = RegressionTask(
    dim=3, horizon=9, noise_std=0.1, subgaussian=0.1, feature_norm=1.0, param_norm=1.0
)

POINTS = LossTask(dim=3, horizon=9, action_set=Ball(3, 2.0), gradient_norm=1.0)

PAIRS = MulticlassTask(n_labels=4, dim=5, horizon=9, sparse=True, width=3)

DENSE = MulticlassTask(n_labels=4, dim=5, horizon=9, width=5)

SLOTTED = NewsTask(n_arms=3, dim=2, horizon=9, feature_norm=1.0, param_norm=1.0)


def test_a_row_is_one_arm():
    x = np.arange(6.0).reshape(2, 3)
    x.flags.writeable = False
    features, lasting = inputs.contexts(ROWS, x, 2, False)
    assert features.shape == (2, 3, 1)
    assert features.flags.c_contiguous
    assert not features.flags.writeable
    assert np.shares_memory(features, x)
    assert lasting
    np.testing.assert_array_equal(features[:, :, 0], x)
    alone, _ = inputs.contexts(ROWS, x[0], 1, True)
    np.testing.assert_array_equal(alone, x[:1, :, None])


def test_features_that_their_owner_writes_to_are_read_again():
    """They are not checked by their values here, so a view of them may be kept."""
    x = np.arange(6.0).reshape(2, 3)
    features, lasting = inputs.contexts(ROWS, x, 2, False)
    assert lasting
    assert x.flags.writeable
    assert not features.flags.writeable
    x[:] = 7.0
    assert (features == 7.0).all()


@pytest.mark.parametrize(
    "form",
    [
        lambda x: x.astype(np.float32),
        lambda x: x.tolist(),
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    ],
    ids=["float32", "list", "strided"],
)
def test_what_was_copied_does_not_last(form):
    x = np.arange(6.0).reshape(2, 3)
    features, lasting = inputs.contexts(ROWS, form(x), 2, False)
    assert not lasting
    assert not features.flags.writeable
    assert features.dtype == np.float64
    np.testing.assert_array_equal(features[:, :, 0], x)


@pytest.mark.parametrize("dtype", [np.int8, bool, np.uint8, np.int64])
@pytest.mark.parametrize("solo", [False, True])
def test_masks_of_slots(dtype, solo):
    n, rows = (1, 0) if solo else (2, slice(None))
    mask = np.array([[1, 0, 1], [0, 1, 0]]).astype(dtype)
    shown = {"arms": np.ones((2, 3, 2)), "action_mask": mask, "ids": np.array([[4, -1, 5]] * 2)}

    def read():
        return inputs.contexts(SLOTTED, {key: value[rows] for key, value in shown.items()}, n, solo)

    (features, there, ids), lasting = read()
    assert (features.shape, ids.shape, lasting) == ((n, 2, 3), (n, 3), inputs.COPIED)
    np.testing.assert_array_equal(there, mask[:n] == 1, strict=True)
    others = {np.int8: (2, -1), np.uint8: (2, 255), np.int64: (2, -1, 256, 257), bool: ()}
    for other in others[dtype]:
        mask[n - 1, 1] = other
        with pytest.raises(ValueError, match="expected an action_mask of 0 and 1 of shape"):
            read()
    mask[n - 1] = 0
    with pytest.raises(ValueError, match=f"replicate {n - 1} has no arm to play"):
        read()


UNMASKED = [
    (name, *given)
    for name in agents.AGENTS
    for family, environments in ENVIRONMENTS.items()
    for given in environments
    if family != "news" and "available" not in given[1]
    if family in [accepted.family for accepted in agents.resolve(name).accepts]
]


@pytest.mark.parametrize(("solo", "mask"), [(True, [0, 1]), (False, [1, 1])])
@pytest.mark.parametrize("name", dict.fromkeys(name for name, *_ in UNMASKED))
def test_a_mask_is_refused_where_a_task_has_none(name, mask, solo):
    """Also by an agent that has seen the same mapping, for it may get its mask later."""
    agent = agents.resolve(name)
    make = gymnasium.make if solo else functools.partial(gymnasium.make_vec, num_envs=1)
    refused = 0
    for _, env_id, settings in [row for row in UNMASKED if row[0] == name]:
        env = make(env_id, horizon=9, **settings)
        if agent.refusal(env.unwrapped.task) is not None:
            continue
        agent.reset(env.unwrapped.task, n=None if solo else 1)
        shown = env.reset(seed=0)[0]
        shown = dict(shown) if isinstance(shown, dict) else {"observation": shown}
        if env.unwrapped.task.family in ("armed", "kernelized", "multiclass"):
            with contextlib.suppress(ValueError):  # features without their mapping
                agent.act(shown)
        shown["action_mask"] = np.array(mask if solo else [mask], np.int8)
        before = copy.deepcopy(vars(agent))
        with pytest.raises(
            ValueError, match="tasks must have no action_mask, because .*got"
        ) as told:
            agent.act(shown)
        assert "\n" not in str(told.value)
        with pytest.raises(ValueError, match="must have no action_mask|give feedback"):
            agent.observe(shown, env.action_space.sample(), 0.0 if solo else [0.0])
        assert equal(vars(agent), before)
        refused += 1
    assert refused > 0


class Masked(gymnasium.ObservationWrapper):
    """Shows a mask beside what an environment shows, as many environments of others do."""

    def observation(self, observation):
        return {"observation": observation, "action_mask": np.array([0, 1, 1], np.int8)}


class Informed(gymnasium.Wrapper):
    """Gives a mask in the info of a reset."""

    def reset(self, **given):
        observation, info = super().reset(**given)
        return observation, info | {"action_mask": np.array([0, 1, 1], np.int8)}


@pytest.mark.parametrize("wrapper", [Masked, Informed])
@pytest.mark.parametrize(
    ("env_id", "name"), [("ArmedBandit-v0", "UCB1"), ("KernelBandit-v0", "GPTS")]
)
def test_play_refuses_the_mask_of_a_wrapper(env_id, name, wrapper):
    env = wrapper(gymnasium.make(env_id, n_arms=3))
    with pytest.raises(ValueError, match=r"must have no action_mask.*array\(\[0, 1, 1\]"):
        agents.play(env, agents.resolve(name), horizon=5)


def test_families_without_features_have_none():
    for task in (ARMED, POINTS):
        assert inputs.contexts(task, np.zeros(2, int), 2, False) == (None, inputs.LASTING)


@pytest.mark.parametrize(
    ("task", "solo", "shape"),
    [
        (ROWS, False, (3,)), (ROWS, False, (2, 4)), (ROWS, False, (2, 3, 1)), (ROWS, True, (1, 3)),
        (LINEAR, False, (2, 3, 4)), (LINEAR, True, (3, 4)), (LINEAR, False, (2, 4)),
    ],
)  # fmt: skip
def test_features_of_another_shape_are_refused(task, solo, shape):
    with pytest.raises(ValueError, match="expected features of shape"):
        inputs.contexts(task, np.zeros(shape), 1 if solo else 2, solo)


def pairs(**changed):
    """Two rows of pairs as an environment shows them."""
    given = {
        "indices": np.array([[0, 2, 4], [1, 0, 0]], np.int32),
        "values": np.array([[1.5, -2.0, 0.5], [3.0, 0.0, 0.0]]),
    } | changed
    for array in given.values():
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    return given


def test_pairs_pass_as_they_are():
    shown = pairs()
    (indices, values), lasting = inputs.contexts(PAIRS, shown, 2, False)
    assert indices is shown["indices"]
    assert values is shown["values"]
    assert lasting
    one = {name: array[0] for name, array in shown.items()}
    (indices, values), lasting = inputs.contexts(PAIRS, one, 1, True)
    assert (indices.tolist(), values.tolist()) == ([[0, 2, 4]], [[1.5, -2.0, 0.5]])
    assert lasting


@pytest.mark.parametrize(
    "form",
    [
        lambda x: x.astype(np.int64 if x.dtype.kind == "i" else np.float32),
        lambda x: x.tolist(),
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: np.asfortranarray(x),
    ],
    ids=["other type", "list", "strided", "by columns"],
)
def test_pairs_in_other_forms_are_converted(form):
    shown = {name: form(array) for name, array in pairs().items()}
    (indices, values), lasting = inputs.contexts(PAIRS, shown, 2, False)
    assert not lasting
    assert indices.tolist() == pairs()["indices"].tolist()
    assert values.tolist() == pairs()["values"].tolist()
    for array, dtype in ((indices, np.int32), (values, np.float64)):
        assert array.dtype == dtype
        assert array.flags.c_contiguous
        assert not array.flags.writeable


def test_dense_rows_are_pairs_with_every_index():
    x = np.arange(10.0).reshape(2, 5)
    x.flags.writeable = False
    (indices, values), lasting = inputs.contexts(DENSE, x, 2, False)
    assert indices.tolist() == [[0, 1, 2, 3, 4]] * 2
    assert (indices.dtype, indices.flags.c_contiguous, indices.flags.writeable) == (
        np.int32, True, False,
    )  # fmt: skip
    assert values is x
    assert lasting
    x = np.ones((2, 5))
    (again, values), lasting = inputs.contexts(DENSE, x, 2, False)
    assert again is indices
    assert lasting == inputs.SHARED
    assert not values.flags.writeable
    inputs.check_pairs(DENSE, (indices, values))
    x[1, 2] = np.inf
    with pytest.raises(ValueError, match="features of replicate 1 are not finite"):
        inputs.check_pairs(DENSE, (indices, values))
    (indices, values), _ = inputs.contexts(DENSE, [0, 1, 2, 3, 4], 1, True)
    assert (indices.shape, values.tolist()) == ((1, 5), [[0, 1, 2, 3, 4]])


@pytest.mark.parametrize(
    ("shown", "message"),
    [
        (pairs(indices=np.array([[0, 2, 5], [1, 0, 0]], np.int32)), r"replicate 0 .* in 0\.\.4"),
        (pairs(indices=np.array([[0, 2, 4], [0, -1, 0]], np.int32)), "features of replicate 1"),
        (pairs(indices=np.array([[0, 2, 2**32], [1, 0, 0]])), "feature 4294967296 is not one of"),
        (pairs(indices=np.array([[0, 2, -1], [1, 0, 0]])), "feature -1 is not one of"),
        (pairs(indices=np.full((2, 3), 2**32 - 1, np.uint32)), "features of replicate 0"),
        (pairs(values=np.array([[0, 0, 0], [0, np.nan, 0]])), "features of replicate 1"),
        (pairs(values=np.array([[0, 0, -np.inf], [0, 0, 0]])), "features of replicate 0"),
        (pairs(indices=np.zeros((2, 4), np.int32)), r"expected indices of shape \(2, 3\)"),
        (pairs(indices=np.zeros((2, 3))), "expected indices of shape"),
        (pairs(values=np.zeros((3, 3))), "expected values of shape"),
        (pairs(values=np.full((2, 3), "x")), "expected values of shape"),
        ({"indices": np.zeros((2, 3), np.int32)}, "expected a mapping of indices and values"),
        (np.zeros((2, 5)), "expected a mapping of indices and values"),
        (None, "expected a mapping of indices and values"),
    ],
)
def test_bad_pairs_are_refused(shown, message):
    with pytest.raises(ValueError, match=message) as error:
        inputs.contexts(PAIRS, shown, 2, False)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.zeros((2, 4)), r"expected features of shape \(2, 5\)"),
        (np.zeros(5), "expected features of shape"),
        ([["a"] * 5] * 2, "expected features of shape"),
        (np.array([[0.0] * 5, [0, 0, 0, 0, np.nan]]), "features of replicate 1 are not finite"),
        (np.array([[np.inf, 0, 0, 0, 0], [0.0] * 5]), "features of replicate 0 are not finite"),
    ],
)
def test_bad_dense_rows_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        inputs.contexts(DENSE, rows, 2, False)


def test_a_mapping_with_another_array_is_another_observation():
    shown = pairs()
    arrays = inputs.arrays_of(shown)
    assert inputs.has_arrays(shown, arrays)
    assert not inputs.has_arrays(shown | {"values": shown["values"].copy()}, arrays)
    assert not inputs.has_arrays(shown | {"indices": shown["indices"].copy()}, arrays)
    assert not inputs.has_arrays({"indices": shown["indices"]}, arrays)
    assert inputs.arrays_of(shown["values"]) is None


@pytest.mark.parametrize("single", [True, False])
def test_what_acts_and_then_observes_converts_an_observation_once(single, monkeypatch):
    make = gymnasium.make if single else functools.partial(gymnasium.make_vec, num_envs=2)
    envs = make("SynSep-v0", horizon=10)
    agent = agents.Banditron().reset(envs.unwrapped.task, n=None if single else 2)
    observation, _ = envs.reset(seed=0)
    converted, convert = [], inputs.contexts
    monkeypatch.setattr(inputs, "contexts", lambda *given: converted.append(1) or convert(*given))
    for made in range(1, 6):
        action = agent.act(observation)
        following, reward, *_ = envs.step(action)
        agent.observe(observation, action, reward)
        assert len(converted) == made
        observation = following


@pytest.mark.parametrize("solo", [False, True])
def test_the_noise_that_arms_show_is_left_out(solo):
    arms = np.random.default_rng(0).standard_normal((1, 4, 3))
    shown = {"arms": arms, "noise_std": np.ones((1, 4))}
    if solo:
        shown = {name: part[0] for name, part in shown.items()}
    features, kept = inputs.contexts(LINEAR, shown, 1, solo)
    np.testing.assert_array_equal(features, arms.transpose(0, 2, 1))
    assert kept == inputs.COPIED  # the mapping may have other arrays when it is read again
    for bad in ({"noise_std": 1.0}, {"context": arms, "noise_std": 1.0}):
        with pytest.raises(ValueError, match="expected a mapping of arms, got"):
            inputs.contexts(LINEAR, bad, 1, solo)
