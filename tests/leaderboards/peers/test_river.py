"""river's policy and models."""

import gymnasium
import numpy as np
import pytest

pytestmark = pytest.mark.peers
FAMILIES = {
    "RiverLinUCB": "multiclass",
    "RiverEpsilonGreedy": "multiclass",
    "RiverRegression": "regression",
}


@pytest.mark.parametrize("name", FAMILIES)
def test_contract(adapter, check, name):
    check(getattr(adapter("river"), name))


@pytest.mark.parametrize("name", ["RiverLinUCB", "RiverRegression"])
def test_it_learns(adapter, share, name):
    assert share(getattr(adapter("river"), name)(), FAMILIES[name]) < 0.5


def test_regression_by_gradient_descent_learns_too(adapter, share):
    """At the library's rate of 0.01 it has not come far in 200 rounds."""
    assert share(adapter("river").RiverRegression(model="LinearRegression"), "regression") < 0.9


def test_exploration_has_its_rate_and_heeds_its_seed(adapter, decisions, heeds_its_seed):
    kind = adapter("river").RiverEpsilonGreedy
    assert heeds_its_seed(kind(), "multiclass")
    assert decisions(kind(epsilon=1.0), "multiclass") != decisions(kind(), "multiclass")


def test_a_labels_model_learns_from_its_own_rounds_alone(adapter):
    env = gymnasium.make("MulticlassBandit-v0", data=(np.eye(3), np.arange(3)), horizon=3)
    agent = adapter("river").RiverEpsilonGreedy(epsilon=0.0).reset(env.unwrapped.task, n=1)
    replica, row = agent.replicas[0], np.array([1.0, 0.0, 0.0])
    replica.learn(row, 2, 1.0)
    assert replica.choose(row) == 2
    for _ in range(3):
        replica.learn(row, 2, 0.0)
    assert replica.choose(row) == 0  # the first of those that know nothing


def test_an_unknown_model_is_refused(adapter):
    with pytest.raises(ValueError, match="model must be one of"):
        adapter("river").RiverRegression(model="Lasso")


def test_linucbs_bonus_holds_the_noise(adapter):
    """The variance of a label's bound is 1 / beta + x' S x, S of ridge alpha / beta over beta."""
    river = adapter("river")
    env = gymnasium.make("MulticlassBandit-v0", data=(np.eye(3), np.arange(3)), horizon=3)
    agent = river.RiverLinUCB(alpha=2.0, beta=4.0).reset(env.unwrapped.task, n=1)
    replica, row = agent.replicas[0], np.array([0.6, -0.8, 0.5])
    replica.learn(row, 1, 0.5)
    x = np.array([0.3, 0.1, 0.9])
    bound = replica.policy._bayes_lin_regs[1].predict_one(river._row(x), with_dist=True)
    precision = 2.0 * np.eye(3) + 4.0 * np.outer(row, row)
    assert bound.sigma**2 == pytest.approx(1 / 4.0 + x @ np.linalg.inv(precision) @ x)


def test_linucb_decides_as_the_library(adapter, plays_as):
    module = adapter("river")

    def plain(task, rng):
        seed = int(rng.integers(1, 2**31 - 1))
        policy = module.bandit.LinUCBDisjoint(alpha=0.7, beta=3.0, seed=seed)
        labels = [*range(task.n_labels)]
        return (
            lambda t, x: policy.pull(labels, context=dict(enumerate(x))),
            lambda t, x, label, reward: policy.update(label, dict(enumerate(x)), reward),
        )

    plays_as(module.RiverLinUCB(alpha=0.7, beta=3.0), "multiclass", plain)


def test_epsilon_greedy_decides_by_a_logistic_regression_for_every_label(adapter, plays_as):
    """SGD by hand: rate 0.01, an intercept. So slow a rate decides little, so weights count too."""
    learned = []

    def plain(task, rng):
        weights, intercepts = np.zeros((task.n_labels, task.dim)), np.zeros(task.n_labels)
        learned.append((weights, intercepts))

        def choose(t, x):
            if rng.random() < 0.3:
                return rng.integers(task.n_labels)
            return np.argmax(weights @ x + intercepts)

        def learn(t, x, label, reward):
            odds = weights[label] @ x + intercepts[label]
            step = 0.01 * (reward - 1.0 / (1.0 + np.exp(-odds)))
            weights[label] += step * x
            intercepts[label] += step

        return choose, learn

    agent = adapter("river").RiverEpsilonGreedy(epsilon=0.3)
    plays_as(agent, "multiclass", plain)
    for replica, (weights, intercepts) in zip(agent.replicas, learned, strict=True):
        own = [[model.weights[j] for j in range(4)] for model in replica.models]
        np.testing.assert_allclose(own, weights, rtol=1e-9)
        np.testing.assert_allclose([model.intercept for model in replica.models], intercepts)


@pytest.mark.parametrize("model", ["BayesianLinearRegression", "LinearRegression"])
def test_predictions_are_those_of_the_library(adapter, plays_as, model):
    module = adapter("river")

    def plain(task, rng):
        regression = getattr(module.linear_model, model)()
        return (
            lambda t, x: regression.predict_one(dict(enumerate(x.tolist()))),
            lambda t, x, prediction, outcome: regression.learn_one(
                dict(enumerate(x.tolist())), outcome
            ),
        )

    plays_as(module.RiverRegression(model=model), "regression", plain)


def test_defaults_are_the_librarys(adapter, has_defaults_of):
    river = adapter("river")
    assert has_defaults_of(river.RiverLinUCB(), river.bandit.LinUCBDisjoint)
