"""SOFUL against LinUCB and OFUL; its confidence sets against the true parameter."""

import gymnasium
import numpy as np
import pytest
from scipy import stats

import agents

RIDGE = 0.7


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("contexts", ["sphere", "gaussian"])
@pytest.mark.parametrize(("dim", "n_arms"), [(5, 10), (8, 6), (2, 20)])
@pytest.mark.parametrize("extra", [1, 7])
def test_with_more_rows_than_features_it_takes_the_decisions_of_linucb(
    dim, n_arms, contexts, fixed, extra
):
    env = gymnasium.make_vec(
        "LinearBandit-v0", num_envs=8, dim=dim, n_arms=n_arms, fixed_arms=fixed, horizon=500,
        contexts=contexts, noise_std=0.3,
    )  # fmt: skip
    sketched = agents.SOFUL(size=dim + extra, ridge=RIDGE, radius=0.6)
    rivals = agents.LinUCB(alpha=0.6, ridge=RIDGE), agents.OFUL(radius=0.6, ridge=RIDGE)
    features, _ = env.reset(seed=3)
    for agent in (sketched, *rivals):
        agent.reset(env.unwrapped.task, n=8, seed=3)
    for _ in range(500):
        arms = sketched.act(features)
        for rival in rivals:
            np.testing.assert_array_equal(arms, rival.act(features))
            for name in ("mean", "variance"):
                np.testing.assert_allclose(
                    getattr(sketched.model, name), getattr(rival.model, name), rtol=1e-8, atol=1e-8
                )
        following, reward, *_ = env.step(arms)
        for agent in (sketched, *rivals):
            agent.observe(features, arms, reward)
        features = following


def test_with_more_rows_than_features_it_takes_the_decisions_of_oful():
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=8, dim=6, n_arms=9, horizon=500)
    exact = agents.play(env, agents.OFUL(ridge=RIDGE))
    for size, same in ((7, True), (20, True), (6, False), (3, False)):
        one = agents.play(env, agents.SOFUL(size=size, ridge=RIDGE))
        assert np.array_equal(one.regret, exact.regret) == same


def _misses(scale, n=400, rounds=200):
    """In how many of n replicates theta ever leaves the set, its radius times ``scale``.

    Features with one large direction of three and a sketch of two rows: shrinkage reaches a few
    times the ridge, and so has its share in the radius.
    """
    rows = np.random.default_rng(0).standard_normal((50, 3)) * [1.0, 0.1, 0.1]
    env = gymnasium.make_vec(
        "LinearBandit-v0", num_envs=n, n_arms=3, dim=3, noise_std=1.0, horizon=rounds,
        contexts=rows,
    )  # fmt: skip
    agent = agents.SOFUL(size=2, ridge=0.5, delta=0.1).reset(env.unwrapped.task, n=n, seed=0)
    features, _ = env.reset(seed=0)
    theta, left = env.unwrapped._theta, np.zeros(n, bool)
    largest = 0.0
    for _ in range(rounds):
        arms = agent.act(features)
        model = agent.model
        error = model.theta - theta
        inside = np.einsum("npd,nd->np", model.basis, error) * np.sqrt(model.energy)
        inside[np.arange(inside.shape[1]) >= model.rank[:, None]] = 0.0
        norm = np.sqrt((inside**2).sum(axis=1) + 0.5 * (error**2).sum(axis=1))
        left |= norm > scale * agent.radii()
        largest = max(largest, float(model.shrinkage.max()))
        following, reward, *_ = env.step(arms)
        agent.observe(features, arms, reward)
        features = following
    assert 0.5 < largest < 50
    return int(left.sum())


def test_the_sets_cover_the_truth():
    """P(theta ever leaves) <= 0.1. Of 400 independent seeds Binomial(400, 0.1) exceeds its 1 - 1e-6
    quantile (71) with probability below 1e-6. Measured: 0, the bound is loose."""
    assert _misses(1.0) <= stats.binom.ppf(1 - 1e-6, 400, 0.1)


def test_smaller_sets_do_not_cover():
    """The test above can fail: at 0.2 of the radius more seeds leave than chance allows at 0.1.
    Measured: all 400."""
    assert _misses(0.2) > stats.binom.ppf(1 - 1e-6, 400, 0.1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ridge": 0.0}, "ridge.*0.0"),
        ({"ridge": float("nan")}, "ridge.*nan"),
        ({"size": 0}, "size.*0"),
        ({"size": 1.5}, "size.*1.5"),
        ({"delta": 1.0}, "delta.*1.0"),
        ({"noise_std": -0.1}, "noise_std.*-0.1"),
        ({"param_norm": float("nan")}, "param_norm.*nan"),
        ({"radius": "closed"}, "radius.*theory.*closed"),
        ({"radius": float("nan")}, "radius.*nan"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, message):
    with pytest.raises(ValueError, match=message):
        agents.SOFUL(**given)


def test_it_keeps_the_contract_with_a_small_sketch():
    agents.check_agent(agents.SOFUL(size=2, ridge=0.1))
    agents.check_agent(agents.SOFUL(size=1, radius=0.3))
