"""Predictions come from models that did not see the round, and in order of time if asked."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge

from leaderboards.ope import predicted_rewards


def table(n=60, n_arms=3, seed=0):
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(n, 2))
    actions = rng.integers(n_arms, size=n)
    return contexts, actions, contexts[:, 0] * actions + rng.normal(size=n)


@pytest.mark.parametrize("batches", [None, np.arange(60) // 12])
def test_a_model_for_each_action_sees_other_folds_or_earlier_batches(batches):
    contexts, actions, rewards = table()
    found = predicted_rewards(
        Ridge(), contexts, actions, rewards, n_arms=3, folds=4, batches=batches
    )
    for t in range(60):
        seen = [s for s in range(60) if (s % 4 != t % 4 if batches is None else s // 12 < t // 12)]
        for arm in range(3):
            own = [s for s in seen if actions[s] == arm]
            expected = 0.0
            if own:
                expected = Ridge().fit(contexts[own], rewards[own]).predict(contexts[[t]])[0]
            assert found[t, arm] == pytest.approx(expected, abs=1e-10)


def test_one_model_has_the_action_as_indicators():
    contexts, actions, rewards = table()
    found = predicted_rewards(Ridge(), contexts, actions, rewards, n_arms=3, per_arm=False, folds=2)
    rows = np.hstack([contexts, np.eye(3)[actions]])
    even = Ridge().fit(rows[::2], rewards[::2])
    expected = even.predict(np.hstack([contexts[[7]], [[0, 1, 0]]]))[0]
    assert found[7, 1] == pytest.approx(expected)


@pytest.mark.parametrize("per_arm", [True, False])
def test_features_of_every_action(per_arm):
    rng = np.random.default_rng(1)
    features, actions = rng.normal(size=(80, 3, 2)), rng.integers(3, size=80)
    means = features @ [2.0, -1.0]
    found = predicted_rewards(
        LinearRegression(), features, actions, means[np.arange(80), actions], n_arms=3,
        per_arm=per_arm,
    )  # fmt: skip
    np.testing.assert_allclose(found, means, atol=1e-10)


def test_a_classifier_predicts_the_mean_of_its_classes():
    contexts, actions, _ = table()
    rewards = np.where(contexts[:, 0] > 0, 5.0, 1.0)
    found = predicted_rewards(LogisticRegression(), contexts, actions, rewards, n_arms=3, folds=2)
    own = [s for s in range(0, 60, 2) if actions[s] == 2]
    share = LogisticRegression().fit(contexts[own], rewards[own]).predict_proba(contexts[[9]])[0]
    assert found[9, 2] == pytest.approx(share[0] * 1 + share[1] * 5)


def test_actions_never_played_and_rewards_all_equal():
    contexts, _, rewards = table()
    actions = np.arange(60) % 2
    rewards[actions == 1] = 4.0
    found = predicted_rewards(LogisticRegression(), contexts, actions, np.sign(rewards), n_arms=3,
                              folds=3)  # fmt: skip
    assert (found[:, 1] == 1.0).all()  # a classifier refuses to fit a single class
    fitted = np.sign(rewards)[np.arange(60) % 3 != 0]
    assert found[0, 2] == pytest.approx(fitted.mean())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"folds": 1}, "folds is 1: give 2 .. 60"),
        ({"n_arms": 2}, "each action is one of 0 .. 1"),
        ({"rewards": np.ones(3)}, "have 60, 60 and 3 rounds"),
        ({"batches": np.r_[0, 2, 1, np.full(57, 3)]}, "batches falls after round 1: sort the log"),
        ({"batches": [1, 2]}, "give one number for each round"),
    ],
)
def test_wrong_arguments(given, message):
    contexts, actions, rewards = table()
    arguments = {"contexts": contexts, "actions": actions, "rewards": rewards, "n_arms": 3}
    with pytest.raises(ValueError, match=message):
        predicted_rewards(Ridge(), **arguments | given)
