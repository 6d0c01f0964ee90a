"""bayesianbandits' policies."""

import gymnasium
import numpy as np
import pytest

pytestmark = pytest.mark.peers
NAMES = ("BayesianBanditsThompson", "BayesianBanditsUCB")


@pytest.mark.parametrize("name", NAMES)
def test_contract(adapter, check, name):
    check(getattr(adapter("bayesianbandits"), name))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("family", ["linear", "multiclass"])
def test_it_learns(adapter, share, name, family):
    assert share(getattr(adapter("bayesianbandits"), name)(), family) < 0.5


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("family", ["linear", "multiclass"])
def test_policies_heed_their_seeds(adapter, heeds_its_seed, name, family):
    assert heeds_its_seed(getattr(adapter("bayesianbandits"), name)(), family)


def test_the_quantile_is_the_policys(adapter, decisions):
    kind = adapter("bayesianbandits").BayesianBanditsUCB
    assert decisions(kind(quantile=0.999), "linear") != decisions(kind(), "linear")


def test_arms_share_one_ridge_regression(adapter):
    """Its posterior mean is the ridge estimate of ridge alpha / beta, from all arms' rewards."""
    envs = gymnasium.make_vec("LinearBandit-v0", num_envs=1, n_arms=4, dim=3, horizon=30)
    agent = adapter("bayesianbandits").BayesianBanditsThompson(alpha=3.0, beta=2.0)
    agent.reset(envs.unwrapped.task, n=1, seed=1)
    shown, _ = envs.reset(seed=1)
    rows, rewards = [], []
    for _ in range(30):
        arms = agent.act(shown)
        rows.append(shown[0, arms[0]].copy())
        following, reward, *_ = envs.step(arms)
        agent.observe(shown, arms, reward)
        rewards.append(reward[0])
        shown = following
    gram = 3.0 / 2.0 * np.eye(3) + np.transpose(rows) @ rows
    expected = np.linalg.solve(gram, np.transpose(rows) @ rewards)
    learned = agent.replicas[0].agent.learner.coef_
    np.testing.assert_allclose(learned, expected, rtol=1e-9)


@pytest.mark.parametrize("family", ["linear", "multiclass"])
@pytest.mark.parametrize("name", NAMES)
def test_decisions_are_those_of_its_regressions(adapter, plays_as, name, family):
    """Draws of the joint posterior; the 90th percentile of 1000 draws at each arm."""
    module = adapter("bayesianbandits")

    def plain(task, rng):
        shared = family == "linear"
        models = [
            module.bayesianbandits.NormalRegressor(alpha=2.0, beta=3.0, random_state=rng)
            for _ in range(1 if shared else task.n_arms)
        ]

        def scores(model, rows):
            if name == "BayesianBanditsThompson":
                return model.sample(rows)[0]
            return np.quantile(model.sample_marginal(rows, size=1000), 0.9, axis=0)

        def choose(t, x):
            if shared:
                return np.argmax(scores(models[0], x))
            return np.argmax([scores(model, x[None])[0] for model in models])

        def learn(t, x, arm, reward):
            model, row = (models[0], x[arm]) if shared else (models[arm], x)
            model.partial_fit(row[None], np.array([reward]))

        return choose, learn

    quantile = {"quantile": 0.9} if name == "BayesianBanditsUCB" else {}
    plays_as(getattr(module, name)(alpha=2.0, beta=3.0, **quantile), family, plain)


def test_the_quantile_is_the_librarys_default_and_precisions_are_1(adapter):
    module = adapter("bayesianbandits")
    quantile = module.bayesianbandits.UpperConfidenceBound().alpha
    expected = {"alpha": 1.0, "beta": 1.0, "quantile": quantile}
    assert module.BayesianBanditsUCB().hyperparameters() == expected
