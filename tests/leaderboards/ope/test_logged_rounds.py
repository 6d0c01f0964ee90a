"""A malformed log gets one line, with the row and the remedy."""

import dataclasses
import re

import numpy as np
import pytest

from leaderboards.ope import Log, evaluate

LOG = Log(
    actions=np.array([0, 1, 1, 0]),
    rewards=np.array([1.0, 0.0, 2.0, 3.0]),
    propensities=np.array([[0.5, 0.5], [0.25, 0.75], [0.5, 0.5], [0.2, 0.8]]),
    predictions=np.zeros((4, 2)),
    logging_policies=np.array([[[0.5, 0.5]] * 4, [[0.25, 0.75]] * 4, [[0.2, 0.8]] * 4]),
    policy_of_round=np.array([0, 1, 0, 2]),
)
POLICY = np.array([[0.5, 0.5], [1.0, 0.0], [0.0, 1.0], [0.3, 0.7]])


def changed(array, where, value):
    array = np.array(array, float)
    array[where] = value
    return array


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("actions", [0, 1, 2, 0], "actions[2] is 2: each action is one of 0 .. 1; renumber"),
        ("actions", [0, -1, 1, 0], "actions[1] is -1: each action"),
        ("actions", [0, 1, 1, 0.5], "actions[3] is 0.5: each action"),
        ("actions", [0, 1, 1], "actions has shape (3,): give (4,), as many rounds as policy"),
        ("actions", ["a", 1, 1, 0], "actions must hold numbers alone; convert or drop"),
        ("rewards", [1, np.nan, 2, 3], "rewards[1] is nan: it must be finite; fill it in or drop"),
        ("rewards", [1, 0, 2, None], "rewards[3] is nan"),
        ("rewards", [[1, 0, 2, 3]], "rewards has shape (1, 4): give (4,)"),
        ("rewards", [1, 0, 2], "rewards has shape (3,): give (4,)"),
        ("propensities", [0.5, 0.0, 0.5, 0.2], "propensities[1] is 0: the played action's must be"),
        ("propensities", [0.5, 1.5, 0.5, 0.2], "propensities[1] is 1.5: the played action's must"),
        ("propensities", [0.5, 0.75, np.inf, 0.2], "propensities[2] is inf: it must be finite"),
        ("propensities", [0.5, 0.75, 0.5], "propensities has shape (3,): give (4,)"),
        ("propensities", np.full((4, 3), 1 / 3), "propensities has shape (4, 3): give (4, 2)"),
        ("propensities", changed(LOG.propensities, (2, 0), 0.6), "propensities[2] sums to 1.1"),
        ("propensities", changed(LOG.propensities, (2, 0), -0.5), "propensities[2, 0] is -0.5: a"),
        ("propensities", [0.5, 0.75, 0.5, 0.3], "propensities[3] is 0.3: logging_policies has a"),
        ("predictions", np.zeros((4, 3)), "predictions has shape (4, 3): give (4, 2)"),
        ("predictions", np.full((4, 2), np.nan), "predictions[0, 0] is nan: it must be finite"),
        ("logging_policies", np.ones((3, 2, 2)), "logging_policies has shape (3, 2, 2): give"),
        ("logging_policies", np.ones(4), "logging_policies has shape (4,)"),
        ("logging_policies", changed(LOG.logging_policies, (1, 3), 0.5), None),
        ("logging_policies", changed(LOG.logging_policies, (1, 3), 0.7), "policies[1][3] sums"),
        ("policy_of_round", [0, 1, 0, 3], "policy_of_round[3] is 3: each logging policy is"),
        ("policy_of_round", None, "policy_of_round is missing"),
    ],
)  # fmt: skip
def test_a_malformed_log(name, value, message):
    log = dataclasses.replace(LOG, **{name: value})
    if message is None:  # it is no fault
        evaluate(log, POLICY)
        return
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        evaluate(log, POLICY)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (changed(POLICY, (1, 1), 0.5), "policy[1] sums to 1.5, not 1: divide the row by its sum"),
        (changed(POLICY, (3, 0), -0.3), "policy[3, 0] is -0.3: a probability lies within 0 and 1"),
        (changed(POLICY, (0, 1), np.nan), "policy[0, 1] is nan"),
        (POLICY[0], "policy has shape (2,): give T rounds times K actions"),
        (POLICY[:0], "policy has shape (0, 2): give T rounds"),
    ],
)
def test_a_malformed_policy(policy, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        evaluate(LOG, policy)


def test_logging_policies_give_the_propensities():
    without = dataclasses.replace(LOG, propensities=None)
    assert evaluate(without, POLICY).value == evaluate(LOG, POLICY).value
    without = dataclasses.replace(LOG, propensities=None, logging_policies=np.array(
        [[0.5, 0.5], [0.25, 0.75], [0.2, 0.8]]))  # fmt: skip
    assert evaluate(without, POLICY).value == evaluate(LOG, POLICY).value


def test_float32_is_precise_enough():
    single = {
        name: np.asarray(getattr(LOG, name), np.float32) for name in ("rewards", "predictions")
    }
    thirds = np.full((4, 2), [1 / 3, 2 / 3], np.float32)
    log = Log(LOG.actions, propensities=thirds, **single)
    assert np.isfinite(evaluate(log, thirds).value)
