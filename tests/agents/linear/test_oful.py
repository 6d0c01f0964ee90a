"""OFUL: its confidence sets against the true parameter, and what it takes from the task."""

import gymnasium
import numpy as np
import pytest
from scipy import stats

import agents


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
