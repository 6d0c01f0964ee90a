"""What arrives at a learner: every form of it becomes the one that kernels take, or is refused."""

import numpy as np
import pytest

from agents import arrivals
from banditgym.action_sets import Ball
from banditgym.tasks import ArmedTask, LinearTask, LossTask, RegressionTask

ARMED = ArmedTask(n_arms=4, horizon=9, noise_std=None, subgaussian=0.5, bernoulli=True)
LINEAR = LinearTask(
    n_arms=4, dim=3, horizon=9, noise_std=0.1, subgaussian=0.1, feature_norm=1.0, param_norm=1.0
)
ROWS = RegressionTask(
    dim=3, horizon=9, noise_std=0.1, subgaussian=0.1, feature_norm=1.0, param_norm=1.0
)
POINTS = LossTask(dim=3, horizon=9, action_set=Ball(3, 2.0), gradient_norm=1.0)
ALL = np.ones(2, bool)
SECOND = np.array([False, True])


def revealed(**changed):
    given = {"loss": np.ones(2), "gradient": np.ones((2, 3)), "curvature": np.ones(2)}
    return given | changed


def test_a_row_is_one_arm():
    x = np.arange(6.0).reshape(2, 3)
    x.flags.writeable = False
    features, lasting = arrivals.contexts(ROWS, x, 2, False)
    assert features.shape == (2, 3, 1)
    assert features.flags.c_contiguous
    assert not features.flags.writeable
    assert np.shares_memory(features, x)
    assert lasting
    np.testing.assert_array_equal(features[:, :, 0], x)
    alone, _ = arrivals.contexts(ROWS, x[0], 1, True)
    np.testing.assert_array_equal(alone, x[:1, :, None])


@pytest.mark.parametrize(
    "form",
    [
        lambda x: x.copy(),  # its owner may write to it
        lambda x: x.astype(np.float32),
        lambda x: x.tolist(),
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    ],
    ids=["writable", "float32", "list", "strided"],
)
def test_what_may_change_or_was_copied_does_not_last(form):
    x = np.arange(6.0).reshape(2, 3)
    features, lasting = arrivals.contexts(ROWS, form(x), 2, False)
    assert not lasting
    assert not features.flags.writeable
    assert features.dtype == np.float64
    np.testing.assert_array_equal(features[:, :, 0], x)


def test_families_without_features_have_none():
    for task in (ARMED, POINTS):
        assert arrivals.contexts(task, np.zeros(2, int), 2, False) == (None, False)


@pytest.mark.parametrize(
    ("task", "solo", "shape"),
    [
        (ROWS, False, (3,)), (ROWS, False, (2, 4)), (ROWS, False, (2, 3, 1)), (ROWS, True, (1, 3)),
        (LINEAR, False, (2, 3, 4)), (LINEAR, True, (3, 4)), (LINEAR, False, (2, 4)),
    ],
)  # fmt: skip
def test_features_of_another_shape_are_refused(task, solo, shape):
    with pytest.raises(ValueError, match="expected features of shape"):
        arrivals.contexts(task, np.zeros(shape), 1 if solo else 2, solo)


def test_predictions_and_outcomes():
    for y in (np.array([1.0, 2.0]), [1, 2], np.array([1, 2], np.float32)):
        predicted, outcome = arrivals.predictions([0.5, 1], np.zeros(2), y, ALL, False)
        assert predicted.tolist() == [0.5, 1.0]
        assert outcome.tolist() == [1.0, 2.0]
        assert predicted.dtype == outcome.dtype == np.float64
    one = np.ones(1, bool)
    predicted, outcome = arrivals.predictions(0.5, -1.0, np.float32(2), one, True)
    assert (predicted.tolist(), outcome.tolist()) == ([0.5], [2.0])


@pytest.mark.parametrize(
    ("action", "reward", "feedback", "match"),
    [
        ([0.5, 1], [0, 0], None, "give feedback=info"),
        ([0.5], [0, 0], [0, 0], "expected 2 predictions"),
        ([0.5, 1], [0], [0, 0], "expected 2 rewards"),
        ([0.5, 1], [0, 0], [[0], [0]], "expected 2 outcomes"),
        ([0.5, np.nan], [0, 0], [0, 0], "prediction of replicate 1 is not finite: nan"),
        ([0.5, 1], [0, 0], [0, np.inf], "outcome of replicate 1 is not finite: inf"),
        ("ab", [0, 0], [0, 0], "expected 2 predictions, got 'ab'"),
        ([0.5, 1], [0, 0], {"y": 1}, "expected 2 outcomes"),
    ],
)
def test_bad_predictions_are_refused(action, reward, feedback, match):
    with pytest.raises(ValueError, match=match):
        arrivals.predictions(action, reward, feedback, ALL, False)


def test_what_was_not_observed_need_not_be_finite():
    nan = np.array([np.nan, 1.0])
    _, outcome = arrivals.predictions([0.5, 1], nan, nan, SECOND, False)
    assert outcome[1] == 1.0
    hidden = revealed(loss=nan, curvature=np.array([-1.0, 0.0]))
    arrivals.points(POINTS, np.zeros((2, 3)), nan, hidden, SECOND, False)
    arrivals.arms(ARMED, [0, 1], nan, SECOND, False)


def test_points_and_what_is_revealed_of_their_losses():
    point = np.arange(6.0).reshape(2, 3)
    masks = {"_loss": ALL, "_gradient": ALL, "_curvature": ALL}
    played, told = arrivals.points(POINTS, point, np.ones(2), revealed() | masks, ALL, False)
    np.testing.assert_array_equal(played, point)
    assert {name: value.shape for name, value in told.items()} == {
        "loss": (2,), "gradient": (2, 3), "curvature": (2,),
    }  # fmt: skip
    alone = {"loss": 1.0, "gradient": [1, 2, 3], "curvature": 0.0}
    played, told = arrivals.points(POINTS, point[1], 0.0, alone, np.ones(1, bool), True)
    np.testing.assert_array_equal(played, point[1:])
    assert told["gradient"].tolist() == [[1.0, 2.0, 3.0]]


@pytest.mark.parametrize(
    ("action", "feedback", "match"),
    [
        (np.zeros((2, 2)), revealed(), r"expected points of shape \(2, 3\)"),
        (np.zeros(3), revealed(), r"expected points of shape \(2, 3\)"),
        ([[0, 0, np.nan], [0, 0, 0]], revealed(), "point of replicate 0 is not finite"),
        (np.zeros((2, 3)), None, "give feedback=info"),
        (np.zeros((2, 3)), np.zeros(2), "give feedback=info"),
        (np.zeros((2, 3)), {"loss": np.ones(2)}, "give feedback=info"),
        (np.zeros((2, 3)), revealed(gradient=np.ones(2)), "expected gradients of shape"),
        (np.zeros((2, 3)), revealed(loss=np.ones(3)), "expected 2 losses"),
        (np.zeros((2, 3)), revealed(curvature=[0, np.nan]), "curvature of replicate 1 is not"),
        (np.zeros((2, 3)), revealed(curvature=[0, -1]), "curvature >= 0, got -1.0 of replicate 1"),
        (np.zeros((2, 3)), revealed(gradient=[[0, 0, 0], [0, np.inf, 0]]), "gradient of replicate"),
    ],
)
def test_bad_points_are_refused(action, feedback, match):
    with pytest.raises(ValueError, match=match):
        arrivals.points(POINTS, action, np.ones(2), feedback, ALL, False)
