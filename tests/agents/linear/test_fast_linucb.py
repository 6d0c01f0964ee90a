"""FastLinUCB: its widths in the mean, what it keeps, and what it learns."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest

import agents
from agents.parts.estimators import SAG, SVRG, GradientDescent, PolyakAveraging, Ridge
from banditgym.tasks import LinearTask, NewsTask

N, K, T = 3, 4, 90
ESTIMATORS = [
    GradientDescent(step=30.0, ridge=0.7),
    PolyakAveraging(step=0.4, ridge=0.7),
    SVRG(ridge=0.7),
    SAG(ridge=0.7),
]


def make_task(dim, n_arms=K, fixed_arms=False):
    return LinearTask(
        n_arms=n_arms, dim=dim, horizon=T, noise_std=0.3, subgaussian=0.3, feature_norm=None,
        param_norm=1.0, fixed_arms=fixed_arms,
    )  # fmt: skip


def slots(rng, dim, scale):
    """Features (N, K, d) >= 0 of slots, about half of them empty, as an environment shows them."""
    mask = rng.random((N, K)) < 0.5
    mask[np.arange(N), rng.integers(K, size=N)] = True
    arms = scale * abs(rng.standard_normal((N, K, dim))) * mask[:, :, None]
    ids = np.where(mask, rng.integers(100, size=(N, K)), -1)
    return {"arms": arms, "action_mask": mask.astype(np.int8), "ids": ids}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda part: type(part).__name__)
def test_of_articles_that_the_log_does_not_show_nothing_is_kept(estimator):
    rng = np.random.default_rng(9)
    agent = agents.FastLinUCB(estimator=estimator)
    agent.reset(NewsTask(n_arms=K, dim=3, horizon=T, feature_norm=9.0, param_norm=1.0), n=N)
    for observed in np.array([[1, 1, 1], [1, 0, 1], [0, 0, 0], [0, 1, 0], [1, 1, 1]], bool):
        shown = slots(rng, 3, 1.0)
        played = agent.act(shown)
        model, state = copy.deepcopy(agent.model), pickle.dumps(vars(agent))
        agent.observe(shown, played, np.where(observed, 1.0, np.nan), observed=observed)
        was, now = model.samples, agent.model.samples
        np.testing.assert_array_equal(now.count, was.count + observed)
        for i in np.flatnonzero(~observed):
            for old, new in zip(was.chunks, now.chunks, strict=True):
                np.testing.assert_array_equal(new[i], old[i])
            np.testing.assert_array_equal(now.longest[i], was.longest[i])
            np.testing.assert_array_equal(agent.model.theta[i], model.theta[i])
        if not observed.any():
            assert pickle.dumps(vars(agent)) == state


def test_its_default_estimator_and_that_it_may_be_saved_before_it_knows_the_arms():
    assert agents.FastLinUCB().estimator == GradientDescent(step=100.0, ridge=1.0)
    agent = agents.FastLinUCB().reset(make_task(2, 3, True), n=1)
    assert agent.consistent()
    arms = np.random.default_rng(0).random((1, 3, 2))
    agent.observe(arms, agent.act(arms), np.ones(1))
    assert agent.consistent()


def test_ties_before_data_go_to_the_lowest_index_and_long_arms_first():
    agent = agents.FastLinUCB(estimator=GradientDescent(step=100.0, ridge=2.0), alpha=0.5)
    agent.reset(make_task(2, 3))
    assert agent.act(np.array([[1.0, 0.0], [0.0, 2.0], [2.0, 0.0]])) == 1
    np.testing.assert_allclose(agent._variance, [[0.5, 2.0, 2.0]])
    assert agent.act(np.zeros((3, 2))) == 0


def test_mean_widths_of_fixed_arms_are_those_of_the_mean_step():
    """Where what is played is fixed before, draws are independent of phi, and E phi follows

        E phi_n = E phi_{n-1} + g_n (x / n - (Ā_n + I / n) E phi_{n-1}),

    whose limit is (Ā - 4/c I)^-1 x / n: a little too long. Means over 200 seeds within five
    standard errors.
    """
    n, rounds = 200, 800
    arms = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    agent = agents.FastLinUCB().reset(make_task(2, 3, True), n=n, seed=0)
    x = np.broadcast_to(arms, (n, 3, 2)).copy()
    x.flags.writeable = False
    total, phi = np.zeros((2, 2)), arms.copy()
    agent.act(x)
    for t in range(1, rounds + 1):
        arm = [0, 0, 1, 2][t % 4]
        agent.observe(x, np.full(n, arm), np.zeros(n))
        total += np.outer(arms[arm], arms[arm])
        phi += 25 / (100 + t) * (arms / t - phi @ (total + np.eye(2)) / t)
    forms = agent._variance
    error = forms.std(axis=0) / np.sqrt(n)
    assert np.all(abs(forms.mean(axis=0) - (phi * arms).sum(axis=1)) <= 5 * error)
    limit = np.linalg.inv(total / rounds - 0.04 * np.eye(2)) / rounds
    exact = np.linalg.inv(total + np.eye(2))
    ratio = np.einsum("kd,de,ke->k", arms, limit, arms) / forms.mean(axis=0)
    np.testing.assert_allclose(ratio, 1.0, atol=0.1)  # n is not quite infinite
    assert np.all(forms.mean(axis=0) > np.einsum("kd,de,ke->k", arms, exact, arms))


@pytest.mark.parametrize(("steps", "part"), [(1, 0.25), (5, 0.33), (20, 0.51)])
def test_widths_of_changing_arms_are_a_part_of_the_exact_ones(steps, part):
    """Unit arms in 20 dimensions after 1,000 samples, mean over 20 seeds.

    Numbers of another simulation, given to 0.01; a seed's mean of 6 arms spreads by 0.005, so that
    four standard errors are 0.005, as is the rounding.
    """
    n, dim, rounds = 20, 20, 1_000
    rng = np.random.default_rng(5)
    agent = agents.FastLinUCB(phi_steps=steps).reset(make_task(dim, 6), n=n, seed=0)
    rows = rng.standard_normal((rounds, n, dim))
    rows /= np.linalg.norm(rows, axis=2, keepdims=True)
    for row in rows:
        arms = np.repeat(row[:, None, :], 6, axis=1)
        agent.observe(arms, np.zeros(n, int), np.zeros(n))
    shown = rng.standard_normal((n, 6, dim))
    shown /= np.linalg.norm(shown, axis=2, keepdims=True)
    agent.act(shown)
    inverse = np.linalg.inv(np.eye(dim) + np.einsum("tnd,tne->nde", rows, rows))
    exact = np.einsum("nkd,nde,nke->nk", shown, inverse, shown)
    assert abs(np.sqrt(agent._variance / exact).mean() - part) <= 0.01


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda part: type(part).__name__)
def test_learns(estimator, fixed):
    """Regret of 20 seeds against uniform play: below a quarter of it, far from what chance does."""
    settings = {"n_arms": 5, "dim": 3, "fixed_arms": fixed, "horizon": 1_000}
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=20, **settings)
    regret = agents.play(env, agents.FastLinUCB(estimator=estimator), seed=0).regret
    uniform = agents.play(env, agents.UniformRandom(), seed=0).regret
    assert regret is not None
    assert uniform is not None
    assert regret[:, -1].mean() < 0.25 * uniform[:, -1].mean()


@pytest.mark.parametrize("estimator", ESTIMATORS[2:], ids=lambda part: type(part).__name__)
def test_keeps_the_contract_whatever_the_estimator(estimator):
    """On every task that it accepts, news too; the default's is tested elsewhere."""
    agents.check_agent(agents.FastLinUCB(estimator=estimator, alpha=0.3, phi_steps=2))


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"estimator": Ridge()}, "estimator must be one of GradientDescent"),
        ({"alpha": -1.0}, "alpha must be.*-1.0"),
        ({"estimator": SVRG(ridge=0.0)}, "ridge must be > 0.*0.0"),
        ({"estimator": GradientDescent()}, "ridge must be > 0.*0.0"),
        ({"phi_steps": 0}, "phi_steps must be.*0"),
        ({"phi_step": 0.0}, "phi_step must be.*0.0"),
        ({"phi_decay": np.nan}, "phi_decay must be.*nan"),
    ],
)
def test_settings_are_checked(setting, message):
    with pytest.raises(ValueError, match=message):
        agents.FastLinUCB(**setting)
