"""scikit-learn's Gaussian process, compared with ``GPUCB``, and its classifiers."""

import gymnasium
import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier

from leaderboards.peers import scikit_learn

pytestmark = pytest.mark.peers


@pytest.mark.parametrize("name", ["SklearnGPUCB", "SklearnEpsilonGreedy"])
def test_contract(check, name):
    check(getattr(scikit_learn, name))


@pytest.mark.parametrize(
    ("name", "family"), [("SklearnGPUCB", "kernelized"), ("SklearnEpsilonGreedy", "multiclass")]
)
def test_it_learns(share, name, family):
    assert share(getattr(scikit_learn, name)(), family) < 0.5


def test_gpucbs_posterior_is_theirs(beside_gpucb):
    for replica, points, mean, variance in beside_gpucb(scikit_learn.SklearnGPUCB, width=1.5):
        bound = replica.scores(points)
        own_mean, deviation = replica.process.predict(points, return_std=True)
        np.testing.assert_allclose(own_mean, mean, atol=1e-9)
        np.testing.assert_allclose(deviation**2, variance, atol=1e-9)
        np.testing.assert_allclose(bound, own_mean + 1.5 * deviation)


def test_classifiers_explore_at_their_rate_by_their_seed(decisions, heeds_its_seed):
    kind = scikit_learn.SklearnEpsilonGreedy
    assert heeds_its_seed(kind(), "multiclass")
    assert decisions(kind(epsilon=1.0), "multiclass") != decisions(kind(), "multiclass")


def test_a_labels_classifier_learns_from_its_own_rounds_alone():
    """The first classifier is undecided until its label was played, and then says what it was."""
    env = gymnasium.make("MulticlassBandit-v0", data=(np.eye(3), np.arange(3)), horizon=3)
    replica = (
        scikit_learn.SklearnEpsilonGreedy(epsilon=0.0).reset(env.unwrapped.task, n=1).replicas[0]
    )
    row = np.array([1.0, 0.0, 0.0])
    replica.learn(row, 2, 1.0)
    assert replica.choose(row) == 2
    replica.learn(row, 2, 0.0)
    replica.learn(row, 1, 1.0)
    assert [hasattr(model, "coef_") for model in replica.models] == [False, True, True]
    assert replica.choose(row) == 1


def test_decisions_are_those_of_a_gaussian_process_by_hand(plays_as, by_gaussian_process):
    plain = by_gaussian_process(lambda mean, cov, rng: mean + 1.5 * np.sqrt(np.diag(cov)))
    plays_as(scikit_learn.SklearnGPUCB(width=1.5, noise_std=0.4), "kernelized", plain)


def test_epsilon_greedy_decides_by_a_classifier_for_every_label(plays_as):
    def plain(task, rng):
        seeds = [int(rng.integers(1, 2**31 - 1)) for _ in range(task.n_labels)]
        models = [SGDClassifier(loss="log_loss", random_state=seed) for seed in seeds]
        learned = set()

        def choose(t, x):
            if rng.random() < 0.3:
                return rng.integers(task.n_labels)
            right = [
                model.predict_proba([x])[0, 1] if label in learned else 0.5
                for label, model in enumerate(models)
            ]
            return np.argmax(right)

        def learn(t, x, label, reward):
            models[label].partial_fit([x], [reward], classes=[0.0, 1.0])
            learned.add(label)

        return choose, learn

    plays_as(scikit_learn.SklearnEpsilonGreedy(epsilon=0.3), "multiclass", plain)
