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
