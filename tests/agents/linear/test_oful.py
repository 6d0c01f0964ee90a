"""OFUL against its formula; its confidence sets against the true parameter."""

import math

import gymnasium
import numpy as np
import pytest
from scipy import stats

import agents

RIDGE, DELTA = 0.7, 0.03


def log_det_radius(gram, past, task, noise_std, param_norm):
    growth = np.linalg.slogdet(gram)[1] - task.dim * math.log(RIDGE)
    return math.sqrt(RIDGE) * param_norm + noise_std * math.sqrt(2 * math.log(1 / DELTA) + growth)


def closed_radius(gram, past, task, noise_std, param_norm):
    """Theorem 2 with det V bounded by Lemma 10; len(past) is t - 1 in the paper's round t."""
    bound = 1 + len(past) * task.feature_norm**2 / (RIDGE * task.dim)
    growth = task.dim * math.log(bound)
    return math.sqrt(RIDGE) * param_norm + noise_std * math.sqrt(2 * math.log(1 / DELTA) + growth)


@pytest.fixture
def follow_oful(follow, near, same_regression):
    return lambda env, given, radius: _follow_oful(
        env, given, radius, follow, near, same_regression
    )


def _follow_oful(env, given, radius, follow, near, same_regression):
    agent = agents.OFUL(ridge=RIDGE, delta=DELTA, **given)
    task = env.unwrapped.task
    noise_std = given.get("noise_std", task.subgaussian)
    param_norm = given.get("param_norm", task.param_norm)

    def values(past, x, i):
        theta, gram = past.regression(RIDGE, x.shape[1])
        rho = radius(gram, past, task, noise_std, param_norm)
        return x @ theta + rho * np.sqrt(np.einsum("kd,kd->k", x, np.linalg.solve(gram, x.T).T))

    def compare(past, x, i):
        same_regression(agent.model, past, x, i, RIDGE)
        _, gram = past.regression(RIDGE, x.shape[1])
        near(agent.radii()[i], radius(gram, past, task, noise_std, param_norm))

    follow(agent, env, values=values, compare=compare)


@pytest.mark.parametrize(
    "given", [{}, {"noise_std": 0.05, "param_norm": 0.2}], ids=["told", "given"]
)
def test_log_determinant_radius(linear_env, follow_oful, given):
    follow_oful(linear_env, given, log_det_radius)


def test_constant_radius(linear_env, follow_oful):
    follow_oful(linear_env, {"radius": 0.4}, lambda *_: 0.4)


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize(("dim", "n_arms"), [(1, 3), (5, 4), (2, 7)])
@pytest.mark.parametrize(
    "given", [{}, {"noise_std": 0.05, "param_norm": 0.2}], ids=["told", "given"]
)
def test_closed_radius(follow_oful, dim, n_arms, fixed, given):
    env = gymnasium.make_vec(
        "LinearBandit-v0", num_envs=3, dim=dim, n_arms=n_arms, fixed_arms=fixed, horizon=150,
        contexts="ball", feature_norm=2.0, param_norm=1.5, noise_std=0.3, noise="uniform",
    )  # fmt: skip
    follow_oful(env, {"radius": "closed", **given}, closed_radius)


def _misses(scale, n=400, rounds=300, delta=0.1):
    """In how many of n replicates theta ever leaves the set, its radius times ``scale``."""
    env = gymnasium.make_vec(
        "LinearBandit-v0", num_envs=n, n_arms=3, dim=2, noise_std=1.0, horizon=rounds
    )
    ridge = 0.01  # so that the radius is the noise's, not sqrt(ridge) S
    agent = agents.OFUL(ridge=ridge, delta=delta).reset(env.unwrapped.task, n=n, seed=0)
    features, _ = env.reset(seed=0)
    theta = env.unwrapped._theta
    gram = np.tile(ridge * np.eye(2), (n, 1, 1))
    moment = np.zeros((n, 2))
    left = np.zeros(n, bool)
    for _ in range(rounds):
        arms = agent.act(features)
        error = agent.model.theta - theta
        norm = np.sqrt(np.einsum("ni,nij,nj->n", error, gram, error))
        left |= norm > scale * agent.radii()
        x = features[np.arange(n), arms]
        gram += x[:, :, None] * x[:, None, :]
        following, reward, *_ = env.step(arms)
        moment += reward[:, None] * x
        agent.observe(features, arms, reward)
        features = following
    # the set is around the estimate of this very data
    estimate = np.linalg.solve(gram, moment[:, :, None])[:, :, 0]
    np.testing.assert_allclose(agent.model.theta, estimate, rtol=1e-9, atol=1e-9)
    return int(left.sum())


def test_the_sets_cover_the_truth():
    """Theorem 2: P(theta ever leaves) <= 0.1. Of 400 independent seeds Binomial(400, 0.1) exceeds
    its 1 - 1e-6 quantile (71) with probability below 1e-6. Measured: 1, the bound is loose."""
    assert _misses(1.0) <= stats.binom.ppf(1 - 1e-6, 400, 0.1)


def test_smaller_sets_do_not_cover():
    """The test above can fail: at 0.3 of the radius more seeds leave than chance allows at 0.1.
    Measured: 397."""
    assert _misses(0.3) > stats.binom.ppf(1 - 1e-6, 400, 0.1)


def test_it_says_what_it_takes_from_the_task():
    assert agents.OFUL().facts() == ("noise_std", "param_norm")
    assert agents.OFUL(param_norm=2.0).facts() == ("noise_std",)


def test_the_closed_radius_needs_bounded_features():
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=2, contexts="gaussian")
    with pytest.raises(ValueError, match="OFUL.*(norm|bound)"):
        agents.play(env, agents.OFUL(radius="closed"), horizon=5)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"ridge": 0.0}, "ridge"),
        ({"ridge": float("nan")}, "ridge"),
        ({"delta": 0.0}, "delta"),
        ({"delta": 1.0}, "delta"),
        ({"delta": float("nan")}, "delta"),
        ({"noise_std": -0.1}, "noise_std"),
        ({"noise_std": float("nan")}, "noise_std"),
        ({"param_norm": -0.1}, "param_norm"),
        ({"param_norm": float("nan")}, "param_norm"),
        ({"radius": -0.1}, "radius"),
        ({"radius": float("nan")}, "radius"),
        ({"radius": "released"}, "radius"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.OFUL(**given)
