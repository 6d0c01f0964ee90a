"""DiscountedLinUCB against OFUL without discount, and where the parameter changes."""

import gymnasium
import numpy as np
import pytest

import agents

RIDGE, DELTA = 0.7, 0.03
SHAPES = [(1, 3, False), (5, 4, False), (7, 9, False), (5, 3, True), (2, 5, True)]


def _env(dim, n_arms, fixed, horizon=60):
    return gymnasium.make_vec(
        "LinearBandit-v0", num_envs=3, dim=dim, n_arms=n_arms, fixed_arms=fixed, horizon=horizon,
        contexts="ball", feature_norm=2.0, param_norm=1.5, noise_std=0.3, noise="uniform",
    )  # fmt: skip


@pytest.mark.parametrize(("dim", "n_arms", "fixed"), SHAPES)
def test_without_discount_it_is_oful_with_its_closed_radius(near, dim, n_arms, fixed):
    env = _env(dim, n_arms, fixed, 150)
    given = {"ridge": RIDGE, "delta": DELTA}
    one = agents.DiscountedLinUCB(discount=1.0, **given).reset(env.unwrapped.task, n=3)
    other = agents.OFUL(radius="closed", **given).reset(env.unwrapped.task, n=3)
    shown, _ = env.reset(seed=4)
    for _ in range(150):
        arms = one.act(shown)
        np.testing.assert_array_equal(arms, other.act(shown))
        near(one.radii(), other.radii())
        near(one.model.variance, other.model.variance)
        following, reward, *_ = env.step(arms)
        for agent in (one, other):
            agent.observe(shown, arms, reward)
        shown = following


def test_it_recovers_where_the_parameter_changed():
    """theta = e_1, then -e_1 from round 500: 40 rewards later the discounted estimate points the
    new way, the undiscounted one the old way still."""
    rng, n = np.random.default_rng(0), 1
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=n, n_arms=2, dim=2, horizon=999)
    forgetful, other = (agents.DiscountedLinUCB(discount=g) for g in (0.95, 1.0))
    for agent in (forgetful, other):
        agent.reset(env.unwrapped.task, n=n)
    for t in range(540):
        x = rng.standard_normal((n, 2, 2))
        arm = rng.integers(2, size=n)
        reward = x[0, arm, 0] * (1.0 if t < 500 else -1.0)
        for agent in (forgetful, other):
            agent.observe(x, arm, reward)
    arms = np.array([[[1.0, 0.0], [-1.0, 0.0]]])
    assert (forgetful.act(arms)[0], other.act(arms)[0]) == (1, 0)


def test_the_radius_needs_bounded_features():
    env = gymnasium.make_vec("LinearBandit-v0", num_envs=2, contexts="gaussian")
    for kind in (agents.DiscountedLinUCB, agents.ForwardDiscountedLinUCB):
        with pytest.raises(ValueError, match=f"{kind.__name__}.*(norm|bound)"):
            agents.play(env, kind(), horizon=5)
        agents.play(env, kind(radius=1.0), horizon=5)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"discount": 0.0}, "discount"),
        ({"discount": float("nan")}, "discount"),
        ({"ridge": 0.0}, "ridge"),
        ({"delta": 0.0}, "delta"),
        ({"noise_std": float("nan")}, "noise_std"),
        ({"param_norm": -0.1}, "param_norm"),
        ({"radius": "closed"}, "radius"),
        ({"radius": float("nan")}, "radius"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.DiscountedLinUCB(**given)


def test_it_keeps_the_contract():
    agents.check_agent(agents.DiscountedLinUCB(discount=0.8))
