"""What an agent learns from: every form of it becomes the one that kernels take, or is refused."""

import numpy as np
import pytest

from agents.inputs import learning_inputs
from banditgym.action_sets import Ball
from banditgym.tasks import (
    ArmedTask,
    ConvexSetTask,
    LinearTask,
    LossTask,
    MulticlassTask,
)

ARMED = ArmedTask(n_arms=4, horizon=9, noise_std=None, subgaussian=0.5, bernoulli=True)
LINEAR = LinearTask(
    n_arms=4, dim=3, horizon=9, noise_std=0.1, subgaussian=0.1, feature_norm=1.0, param_norm=1.0
)
LOSSES = LossTask(dim=3, horizon=9, action_set=Ball(3, 2.0), gradient_norm=1.0)
PAIRS = MulticlassTask(n_labels=4, dim=5, horizon=9, sparse=True, width=3)
RANKED = MulticlassTask(n_labels=4, dim=5, horizon=9, width=5, slots=2)
ALL = np.ones(2, bool)
SECOND = np.array([False, True])


def revealed(**changed):
    given = {"loss": np.ones(2), "gradient": np.ones((2, 3)), "curvature": np.ones(2)}
    return given | changed


def test_predictions_and_outcomes():
    for y in (np.array([1.0, 2.0]), [1, 2], np.array([1, 2], np.float32)):
        predicted, outcome = learning_inputs.predictions([0.5, 1], np.zeros(2), y, ALL, False)
        assert predicted.tolist() == [0.5, 1.0]
        assert outcome.tolist() == [1.0, 2.0]
        assert predicted.dtype == outcome.dtype == np.float64
    one = np.ones(1, bool)
    predicted, outcome = learning_inputs.predictions(0.5, -1.0, np.float32(2), one, True)
    assert (predicted.tolist(), outcome.tolist()) == ([0.5], [2.0])


# A number as an array of no axes takes the way that arrays take.
@pytest.mark.parametrize("form", [lambda x: x, np.float64, np.array])
@pytest.mark.parametrize("observed", [True, False])
def test_numbers_of_a_solo_agent_become_arrays_or_are_refused(form, observed):
    one = np.array([observed])
    numbers = (0.5, -1.0, np.inf, np.nan)
    for y in numbers:
        for arm in (0, 3, 4, -1, True):
            paid = form(y)
            given = np.array(arm) if form is np.array else arm
            if type(arm) is int and 0 <= arm < 4 and (np.isfinite(y) or not observed):
                played, reward = learning_inputs.arms(ARMED, given, paid, one, True)
                np.testing.assert_array_equal(played, np.array([arm]), strict=True)
                np.testing.assert_array_equal(reward, np.array([y]), strict=True)
                assert played.flags.carray
                assert reward.flags.carray
            else:
                rule = "expected 1 arms, got" if arm is True else f"played arm {arm}, which is not"
                if type(arm) is int and 0 <= arm < 4:
                    rule = f"^the reward of replicate 0 is not finite: {y}$"
                with pytest.raises(ValueError, match=rule):
                    learning_inputs.arms(ARMED, given, paid, one, True)
        for p in numbers:
            if not observed or np.isfinite([p, y]).all():
                found = learning_inputs.predictions(form(p), form(0.0), form(y), one, True)
                for array, number in zip(found, (p, y), strict=True):
                    np.testing.assert_array_equal(array, np.array([number]), strict=True)
                    assert array.flags.carray
            else:
                what = "outcome" if np.isfinite(p) else "prediction"
                with pytest.raises(ValueError, match=f"the {what} of replicate 0 is not finite"):
                    learning_inputs.predictions(form(p), form(0.0), form(y), one, True)


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
        learning_inputs.predictions(action, reward, feedback, ALL, False)


@pytest.mark.parametrize(
    ("binary", "legal", "bad", "message"),
    [
        (True, [0.0, 1.0], 0.5, "^rewards must be 0 or 1, got 0.5 of replicate 1$"),
        (True, [1.0, -0.0], 4.5, "^rewards must be 0 or 1, got 4.5 of replicate 1$"),
        (False, [0.25, 1.0], -1.0, r"^rewards must be in \[0, 1\], got -1.0 of replicate 1$"),
        (False, [0.0, 0.5], 1.5, r"^rewards must be in \[0, 1\], got 1.5 of replicate 1$"),
    ],
)
def test_rewards_outside_of_an_agents_scope_are_refused(binary, legal, bad, message):
    learning_inputs.check_rewards(np.array(legal), ALL, binary=binary)
    learning_inputs.check_rewards(np.array([bad, 1.0]), SECOND, binary=binary)
    with pytest.raises(ValueError, match=message):
        learning_inputs.check_rewards(np.array([1.0, bad]), SECOND, binary=binary)


def test_what_was_not_observed_need_not_be_finite():
    nan = np.array([np.nan, 1.0])
    _, outcome = learning_inputs.predictions([0.5, 1], nan, nan, SECOND, False)
    assert outcome[1] == 1.0
    hidden = revealed(loss=nan, curvature=np.array([-1.0, 0.0]))
    learning_inputs.points(LOSSES, np.zeros((2, 3)), nan, hidden, SECOND, False)
    learning_inputs.arms(ARMED, [0, 1], nan, SECOND, False)


def test_points_and_what_is_revealed_of_their_losses():
    point = np.arange(6.0).reshape(2, 3)
    masks = {"_loss": ALL, "_gradient": ALL, "_curvature": ALL}
    played, told = learning_inputs.points(LOSSES, point, np.ones(2), revealed() | masks, ALL, False)
    np.testing.assert_array_equal(played, point)
    assert {name: value.shape for name, value in told.items()} == {
        "loss": (2,), "gradient": (2, 3), "curvature": (2,),
    }  # fmt: skip
    alone = {"loss": 1.0, "gradient": [1, 2, 3], "curvature": 0.0}
    played, told = learning_inputs.points(LOSSES, point[1], 0.0, alone, np.ones(1, bool), True)
    np.testing.assert_array_equal(played, point[1:])
    assert told["gradient"].tolist() == [[1.0, 2.0, 3.0]]


def test_a_slope_of_one_replicate_that_is_not_convex_is_refused():
    told = {"loss": 1.0, "gradient": np.ones(3), "curvature": -0.5}
    one = np.ones(1, bool)
    learning_inputs.points(LOSSES, np.zeros(3), -1.0, told, ~one, True)
    with pytest.raises(ValueError, match=r"curvature >= 0, got -0\.5 of replicate 0"):
        learning_inputs.points(LOSSES, np.zeros(3), -1.0, told, one, True)


@pytest.mark.parametrize("n", [1, 2])
def test_an_empty_slot_is_refused(n):
    mask = np.eye(2, dtype=bool)[:n]
    there = np.arange(n)
    learning_inputs.check_slots(mask, there)
    with pytest.raises(ValueError, match=f"replicate {n - 1} played slot {2 - n}, which has no"):
        learning_inputs.check_slots(mask, np.where(there == n - 1, 1 - there, there))


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
        learning_inputs.points(LOSSES, action, np.ones(2), feedback, ALL, False)


def test_rankings_and_clicks():
    played, paid = learning_inputs.rankings(RANKED, [[0, 3], [2, 1]], [1, 0], ALL, False)
    assert (played.tolist(), played.dtype) == ([[0, 3], [2, 1]], np.int64)
    assert (paid.tolist(), paid.dtype) == ([1.0, 0.0], np.float64)
    click = learning_inputs.clicks(played, [3, -1], ALL, False)
    assert (click.tolist(), click.dtype) == ([3, -1], np.int64)
    played, _ = learning_inputs.rankings(RANKED, np.array([3, 0]), 1.0, ALL[:1], True)
    assert played.tolist() == [[3, 0]]
    assert learning_inputs.clicks(played, 0, ALL[:1], True).tolist() == [0]
    nan = np.array([np.nan, 1.0])
    played, _ = learning_inputs.rankings(RANKED, [[0, 1], [1, 0]], nan, SECOND, False)
    assert learning_inputs.clicks(played, [7, 1], SECOND, False)[1] == 1


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
        learning_inputs.rankings(RANKED, action, reward, ALL, False)


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
        learning_inputs.clicks(np.array([[0, 1], [0, 1]]), click, ALL, False)


POINTS = ConvexSetTask(
    dim=3, horizon=9, noise_std=1.0, subgaussian=1.0, feature_norm=1.0, param_norm=1.0,
    action_set=Ball(3),
)  # fmt: skip


def test_points_played_for_a_reward():
    given = np.arange(6.0).reshape(2, 3)
    for points in (given, given.tolist(), np.asfortranarray(given), given.astype(np.float32)):
        played, paid = learning_inputs.rewarded_points(POINTS, points, [1, 2.5], ALL, False)
        np.testing.assert_array_equal(played, given)
        assert (played.dtype, played.flags.c_contiguous, played.flags.writeable) == (
            np.float64, True, False,
        )  # fmt: skip
        assert (paid.tolist(), paid.dtype) == ([1.0, 2.5], np.float64)
    assert given.flags.writeable
    played, paid = learning_inputs.rewarded_points(POINTS, given[1], 0.5, ALL[:1], True)
    assert (played.tolist(), paid.tolist()) == ([[3.0, 4.0, 5.0]], [0.5])
    hidden = given.copy()
    hidden[0, 1] = np.nan
    played, paid = learning_inputs.rewarded_points(POINTS, hidden, [np.inf, 1.0], SECOND, False)
    assert (played[1].tolist(), paid[1]) == ([3.0, 4.0, 5.0], 1.0)


@pytest.mark.parametrize("form", ["strided", "read-only"])
def test_numbers_of_a_round_become_writable_and_without_gaps(form):
    """As kernels are compiled for them: for any other form each would be compiled anew."""

    def given(values):
        array = np.repeat(values, 2)[::2] if form == "strided" else np.array(values)
        array.flags.writeable = form == "strided"
        return array

    played, paid = learning_inputs.arms(LINEAR, given([1, 3]), given([0.5, 2.0]), ALL, False)
    clicked = learning_inputs.clicks(np.array([[1, 2], [0, 3]]), given([2, -1]), ALL, False)
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
        learning_inputs.rewarded_points(POINTS, points, reward, ALL, False)
    assert "\n" not in str(error.value)


def test_true_labels():
    for given in ([3, 0], np.array([3, 0], np.uint8), np.array([3, 0])):
        labels = learning_inputs.true_labels(PAIRS, given, ALL, False)
        assert (labels.tolist(), labels.dtype) == ([3, 0], np.int64)
    assert learning_inputs.true_labels(PAIRS, 2, ALL[:1], True).tolist() == [2]
    assert learning_inputs.true_labels(PAIRS, [-1, 2], SECOND, False)[1] == 2


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
        learning_inputs.true_labels(PAIRS, feedback, ALL, False)
