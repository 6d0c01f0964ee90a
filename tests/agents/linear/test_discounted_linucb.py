"""DiscountedLinUCB against its formula over the whole past, and against OFUL without discount."""

import math

import gymnasium
import numpy as np
import pytest

import agents

RIDGE, DELTA, DISCOUNT = 0.7, 0.03, 0.9
SHAPES = [(1, 3, False), (5, 4, False), (7, 9, False), (5, 3, True), (2, 5, True)]


def _env(dim, n_arms, fixed, horizon=60):
    return gymnasium.make_vec(
        "LinearBandit-v0", num_envs=3, dim=dim, n_arms=n_arms, fixed_arms=fixed, horizon=horizon,
        contexts="ball", feature_norm=2.0, param_norm=1.5, noise_std=0.3, noise="uniform",
    )  # fmt: skip


@pytest.mark.parametrize("radius", ["theory", 0.4])
@pytest.mark.parametrize(
    "given", [{}, {"noise_std": 0.05, "param_norm": 0.2}], ids=["told", "given"]
)
@pytest.mark.parametrize(("dim", "n_arms", "fixed"), SHAPES)
def test_plays_the_largest_upper_bound(follow, near, dim, n_arms, fixed, radius, given):
    """The radius' fraction is the sum of the squared weights of the past."""
    env = _env(dim, n_arms, fixed)
    task = env.unwrapped.task
    agent = agents.DiscountedLinUCB(
        discount=DISCOUNT, ridge=RIDGE, delta=DELTA, radius=radius, **given
    )
    noise_std = given.get("noise_std", task.subgaussian)
    param_norm = given.get("param_norm", task.param_norm)

    def rho(past):
        if radius != "theory":
            return radius
        effective = sum(DISCOUNT ** (2 * s) for s in range(len(past)))
        growth = dim * math.log(1 + 2.0**2 * effective / (RIDGE * dim))
        noise = noise_std * math.sqrt(2 * math.log(1 / DELTA) + growth)
        return math.sqrt(RIDGE) * param_norm + noise

    def values(past, x, i):
        rows = np.array(past.features).reshape(-1, dim)
        weight = DISCOUNT ** np.arange(len(past))[::-1]
        gram = RIDGE * np.eye(dim) + (weight[:, None] * rows).T @ rows
        squared = RIDGE * np.eye(dim) + (weight[:, None] ** 2 * rows).T @ rows
        u = np.linalg.solve(gram, x.T)
        mean = u.T @ (rows.T @ (weight * np.array(past.rewards)))
        return mean + rho(past) * np.sqrt(np.einsum("dk,de,ek->k", u, squared, u))

    follow(
        agent,
        env,
        values=values,
        compare=lambda past, x, i: near(agent.radii()[i], rho(past)),
        rounds=60,
    )


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
