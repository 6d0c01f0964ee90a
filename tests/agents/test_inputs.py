"""What arrives at an agent: every form of it becomes the one that kernels take, or is refused."""

import numpy as np
import pytest

from agents import inputs
from banditgym.action_sets import Ball
from banditgym.tasks import (
    ArmedTask,
    ConvexSetTask,
    LinearTask,
    LossTask,
    MulticlassTask,
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
RANKED = MulticlassTask(n_labels=4, dim=5, horizon=9, width=5, slots=2)
ALL = np.ones(2, bool)
SECOND = np.array([False, True])


def revealed(**changed):
    given = {"loss": np.ones(2), "gradient": np.ones((2, 3)), "curvature": np.ones(2)}
    return given | changed


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
    features, lasting = inputs.contexts(ROWS, form(x), 2, False)
    assert not lasting
    assert not features.flags.writeable
    assert features.dtype == np.float64
    np.testing.assert_array_equal(features[:, :, 0], x)


def test_families_without_features_have_none():
    for task in (ARMED, POINTS):
        assert inputs.contexts(task, np.zeros(2, int), 2, False) == (None, False)


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


def test_predictions_and_outcomes():
    for y in (np.array([1.0, 2.0]), [1, 2], np.array([1, 2], np.float32)):
        predicted, outcome = inputs.predictions([0.5, 1], np.zeros(2), y, ALL, False)
        assert predicted.tolist() == [0.5, 1.0]
        assert outcome.tolist() == [1.0, 2.0]
        assert predicted.dtype == outcome.dtype == np.float64
    one = np.ones(1, bool)
    predicted, outcome = inputs.predictions(0.5, -1.0, np.float32(2), one, True)
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
        inputs.predictions(action, reward, feedback, ALL, False)


def test_what_was_not_observed_need_not_be_finite():
    nan = np.array([np.nan, 1.0])
    _, outcome = inputs.predictions([0.5, 1], nan, nan, SECOND, False)
    assert outcome[1] == 1.0
    hidden = revealed(loss=nan, curvature=np.array([-1.0, 0.0]))
    inputs.points(POINTS, np.zeros((2, 3)), nan, hidden, SECOND, False)
    inputs.arms(ARMED, [0, 1], nan, SECOND, False)


def test_points_and_what_is_revealed_of_their_losses():
    point = np.arange(6.0).reshape(2, 3)
    masks = {"_loss": ALL, "_gradient": ALL, "_curvature": ALL}
    played, told = inputs.points(POINTS, point, np.ones(2), revealed() | masks, ALL, False)
    np.testing.assert_array_equal(played, point)
    assert {name: value.shape for name, value in told.items()} == {
        "loss": (2,), "gradient": (2, 3), "curvature": (2,),
    }  # fmt: skip
    alone = {"loss": 1.0, "gradient": [1, 2, 3], "curvature": 0.0}
    played, told = inputs.points(POINTS, point[1], 0.0, alone, np.ones(1, bool), True)
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
        inputs.points(POINTS, action, np.ones(2), feedback, ALL, False)


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
        lambda x: x.copy(),
        lambda x: x.astype(np.int64 if x.dtype.kind == "i" else np.float32),
        lambda x: x.tolist(),
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: np.asfortranarray(x),
    ],
    ids=["writable", "other type", "list", "strided", "by columns"],
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
    again = inputs.contexts(DENSE, np.ones((2, 5)), 2, False)
    assert again[0][0] is indices
    assert not again[1]
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
    contexts, _ = inputs.contexts(PAIRS, shown, 2, False)
    assert inputs.unchanged(contexts, shown)
    assert not inputs.unchanged(contexts, shown | {"values": shown["values"].copy()})
    assert not inputs.unchanged(contexts, {"indices": shown["indices"]})
    one = {name: array[0].copy() for name, array in shown.items()}
    assert not inputs.unchanged(inputs.contexts(PAIRS, one, 1, True)[0], shown)
    assert inputs.unchanged(inputs.contexts(PAIRS, one, 1, True)[0], one)


def test_rankings_and_clicks():
    played, paid = inputs.rankings(RANKED, [[0, 3], [2, 1]], [1, 0], ALL, False)
    assert (played.tolist(), played.dtype) == ([[0, 3], [2, 1]], np.int64)
    assert (paid.tolist(), paid.dtype) == ([1.0, 0.0], np.float64)
    click = inputs.clicks(played, [3, -1], ALL, False)
    assert (click.tolist(), click.dtype) == ([3, -1], np.int64)
    played, _ = inputs.rankings(RANKED, np.array([3, 0]), 1.0, ALL[:1], True)
    assert played.tolist() == [[3, 0]]
    assert inputs.clicks(played, 0, ALL[:1], True).tolist() == [0]
    nan = np.array([np.nan, 1.0])
    played, _ = inputs.rankings(RANKED, [[0, 1], [1, 0]], nan, SECOND, False)
    assert inputs.clicks(played, [7, 1], SECOND, False)[1] == 1


@pytest.mark.parametrize(
    ("action", "reward", "message"),
    [
        ([[0, 1], [1, 1]], [0, 0], r"ranking \[1, 1\] of replicate 1"),
        ([[0, 4], [0, 1]], [0, 0], r"ranking \[0, 4\] of replicate 0"),
        ([0, 1], [0, 0], "expected 2 rankings"),
        ([[0, 1]], [0, 0], "expected 2 rankings"),
        ([[0, 1], [0, 1]], [0, np.inf], "reward of replicate 1 is not finite: inf"),
        ([[0, 1], [0, 1]], [0, 0, 0], "rewards"),
    ],
)
def test_bad_rankings_are_refused(action, reward, message):
    with pytest.raises(ValueError, match=message):
        inputs.rankings(RANKED, action, reward, ALL, False)


@pytest.mark.parametrize(
    ("click", "message"),
    [
        (None, r"the click: give feedback=info\['feedback'\]"),
        ([-1], "expected 2 clicks"),
        ([-1.0, 0.0], "expected 2 clicks"),
        ([-1, 2], r"the click 2 of replicate 1 is none of \[0, 1\]"),
        ([-2, 1], "the click -2 of replicate 0"),
    ],
)
def test_bad_clicks_are_refused(click, message):
    with pytest.raises(ValueError, match=message):
        inputs.clicks(np.array([[0, 1], [0, 1]]), click, ALL, False)


POINTS = ConvexSetTask(
    dim=3, horizon=9, noise_std=1.0, subgaussian=1.0, feature_norm=1.0, param_norm=1.0,
    action_set=Ball(3),
)  # fmt: skip


def test_points_played_for_a_reward():
    given = np.arange(6.0).reshape(2, 3)
    for points in (given, given.tolist(), np.asfortranarray(given), given.astype(np.float32)):
        played, paid = inputs.rewarded_points(POINTS, points, [1, 2.5], ALL, False)
        np.testing.assert_array_equal(played, given)
        assert (played.dtype, played.flags.c_contiguous, played.flags.writeable) == (
            np.float64, True, False,
        )  # fmt: skip
        assert (paid.tolist(), paid.dtype) == ([1.0, 2.5], np.float64)
    assert given.flags.writeable
    played, paid = inputs.rewarded_points(POINTS, given[1], 0.5, ALL[:1], True)
    assert (played.tolist(), paid.tolist()) == ([[3.0, 4.0, 5.0]], [0.5])
    hidden = given.copy()
    hidden[0, 1] = np.nan
    played, paid = inputs.rewarded_points(POINTS, hidden, [np.inf, 1.0], SECOND, False)
    assert (played[1].tolist(), paid[1]) == ([3.0, 4.0, 5.0], 1.0)


@pytest.mark.parametrize("form", ["strided", "read-only"])
def test_numbers_of_a_round_become_writable_and_without_gaps(form):
    """As kernels are compiled for them: for any other form each would be compiled anew."""

    def given(values):
        array = np.repeat(values, 2)[::2] if form == "strided" else np.array(values)
        array.flags.writeable = form == "strided"
        return array

    played, paid = inputs.arms(LINEAR, given([1, 3]), given([0.5, 2.0]), ALL, False)
    clicked = inputs.clicks(np.array([[1, 2], [0, 3]]), given([2, -1]), ALL, False)
    for got, values in ((played, [1, 3]), (paid, [0.5, 2.0]), (clicked, [2, -1])):
        assert got.tolist() == values
        assert got.flags.carray


@pytest.mark.parametrize(
    ("points", "reward", "message"),
    [
        ([[0, 0, 0], [0, np.nan, 0]], [0, 0], "the point of replicate 1 is not finite"),
        ([[0, 0, np.inf], [0, 0, 0]], [0, 0], "the point of replicate 0 is not finite"),
        (np.zeros((2, 3)), [0, np.nan], "the reward of replicate 1 is not finite: nan"),
        (np.zeros((2, 3)), [0, 0, 0], "expected 2 rewards"),
        (np.zeros((2, 3)), "ab", "expected 2 rewards"),
        (np.zeros((2, 2)), [0, 0], r"expected points of shape \(2, 3\)"),
        (np.zeros(3), [0, 0], "expected points of shape"),
        ([[0, 0, 0], [0, 0]], [0, 0], "expected points of shape"),
        (None, [0, 0], "expected points of shape"),
    ],
)
def test_bad_points_or_rewards_are_refused(points, reward, message):
    with pytest.raises(ValueError, match=message) as error:
        inputs.rewarded_points(POINTS, points, reward, ALL, False)
    assert "\n" not in str(error.value)


def test_true_labels():
    for given in ([3, 0], np.array([3, 0], np.uint8), np.array([3, 0])):
        labels = inputs.true_labels(PAIRS, given, ALL, False)
        assert (labels.tolist(), labels.dtype) == ([3, 0], np.int64)
    assert inputs.true_labels(PAIRS, 2, ALL[:1], True).tolist() == [2]
    assert inputs.true_labels(PAIRS, [-1, 2], SECOND, False)[1] == 2


@pytest.mark.parametrize(
    ("feedback", "message"),
    [
        (None, "it learns from the true label: give feedback=info.'label'."),
        ([0, 4], r"the label 4 of replicate 1 is not in 0\.\.3"),
        ([-1, 0], "the label -1 of replicate 0"),
        ([0.0, 1.0], "expected 2 true labels"),
        ([True, False], "expected 2 true labels"),
        ([0], "expected 2 true labels"),
        ([[0], [1]], "expected 2 true labels"),
        ([[0], [1, 2]], "expected 2 true labels"),
        ("ab", "expected 2 true labels"),
    ],
)
def test_bad_labels_are_refused(feedback, message):
    with pytest.raises(ValueError, match=message):
        inputs.true_labels(PAIRS, feedback, ALL, False)
