"""BKB against its listing, and against GP-UCB, which it is with the theorem's qbar."""

import math

import gymnasium
import numpy as np
import pytest

import agents
from agents.parts.confidence import oversampling
from banditgym.streams import uniform_at

DELTA, ACCURACY, QBAR = 0.03, 0.3, 1.7


def radius_of(name, s, t, task, ridge):
    bias = math.sqrt(ridge) * task.param_norm
    if name == "released":
        return bias + task.subgaussian * math.sqrt(s * math.log(max(t, 1)) + math.log(1 / DELTA))
    alpha = (1 + ACCURACY) / (1 - ACCURACY)
    kappa = task.covariance.diagonal(task.arms).max()
    growth = alpha * (1 + math.log(kappa * t / ridge + 1)) * s
    noise = task.subgaussian * math.sqrt(growth + 2 * math.log(1 / DELTA))
    return (1 + 1 / math.sqrt(1 - ACCURACY)) * bias + noise


class Plain:
    """The listing for one replicate: S and the posterior after each pull, all from scratch."""

    def __init__(self, task, ridge, key, nystrom, embedded):
        self.task, self.ridge, self.key = task, ridge, key
        self.nystrom, self.embedded = nystrom, embedded
        self.inducing, self.t = [], 0
        prior = task.covariance.diagonal(task.arms) / ridge
        self.mean, self.variance, self.s = np.zeros(task.n_arms), prior, 0.0

    def follow(self, past):
        """A Bernoulli draw of every pull: an arm enters unless all of its pulls stay out."""
        if len(past) == self.t:
            return
        self.t = len(past)
        arms, counts = np.unique(past.arms, return_counts=True)
        p = np.minimum(1.0, QBAR * self.variance[arms])  # of before the new pull
        enters = 1 - (1 - p) ** counts
        drawn = np.array([uniform_at(*self.key, self.t, int(a)) for a in arms])
        self.inducing = list(arms if self.t == 1 else arms[drawn < enters])
        z, left = np.zeros((self.task.n_arms, 0)), self.task.covariance.diagonal(self.task.arms)
        if self.inducing:
            z, left = self.nystrom(self.task.arms, self.inducing, self.task.covariance)
        posterior = self.embedded(z, left, self.ridge, past.arms, past.rewards)
        self.mean, self.variance = posterior.mean, posterior.variance
        self.s = posterior.effective_dimension


@pytest.mark.parametrize("radius", ["released", "theory", 0.6])
def test_the_listing(kernel_env, follow, near, nystrom, embedded, radius):
    """At a qbar so low that arms come and go: the dictionary, the posterior and the decision."""
    env, task = kernel_env, kernel_env.unwrapped.task
    ridge = task.subgaussian**2
    agent = agents.BKB(
        qbar=QBAR, delta=DELTA, accuracy=ACCURACY, radius=radius, covariance=task.covariance
    )
    agent.reset(task, n=3, seed=11)
    plain = [Plain(task, ridge, key, nystrom, embedded) for key in agent.model.keys.tolist()]
    first = agent.act(np.zeros(3, int))
    left_out = 0

    def rho(i):
        if not isinstance(radius, str):
            return radius
        return radius_of(radius, plain[i].s, plain[i].t, task, ridge)

    def values(past, x, i):
        if not len(past):  # the first arm is drawn
            return np.eye(task.n_arms)[first[i]]
        return plain[i].mean + rho(i) * np.sqrt(plain[i].variance)

    def compare(past, x, i):
        nonlocal left_out
        plain[i].follow(past)
        inducing = agent.model.inducing[i, : agent.model.count[i]]
        assert sorted(inducing) == sorted(plain[i].inducing)
        left_out += len(set(past.arms)) > len(inducing)
        near(agent.model.mean[i], plain[i].mean, 1e-7)
        near(agent.model.variance[i], plain[i].variance, 1e-7)
        near(agent.choice.radius[i], rho(i), 1e-7)

    follow(agent, env, values=values, compare=compare, rounds=150, tie=1e-6)
    assert left_out > 50


def test_the_first_arm_is_uniform():
    """Of 4 arms over 4000 seeds: each count within 5 standard deviations, 137, of 1000."""
    env = gymnasium.make_vec("KernelBandit-v0", num_envs=1, n_arms=4)
    agent = agents.BKB().reset(env.unwrapped.task, n=4000, seed=0)
    played = np.bincount(agent.act(np.zeros(4000, int)), minlength=4)
    assert np.abs(played - 1000).max() < 137
    agent.observe(np.zeros(4000, int), np.zeros(4000, int), np.zeros(4000))
    assert len(np.unique(agent.act(np.zeros(4000, int)))) == 1  # now all know the same


@pytest.mark.parametrize(
    ("radius", "horizon", "settings"),
    [
        ("released", 500, {"n_arms": 60, "arms_seed": 4}),
        (0.5, 500, {"n_arms": 60, "arms_seed": 4}),
        ("released", 150, {"n_arms": 20, "function": "branin", "fixed_arms": False}),
    ],
    ids=["released", "constant", "changing"],
)
def test_with_the_theorem_s_qbar_it_is_gpucb(radius, horizon, settings):
    """While qbar >= t + ridge every pull enters for certain, and all is exact: with the first arm
    imposed the two decide alike in all rounds, also where the arms change in each."""
    env = gymnasium.make_vec("KernelBandit-v0", num_envs=2, dim=2, horizon=horizon, **settings)
    task = env.unwrapped.task
    assert oversampling(horizon) >= horizon + task.noise_std**2
    exact = agents.GPUCB(radius=radius).reset(task, n=2, seed=1)
    budgeted = agents.BKB(qbar=oversampling(horizon), radius=radius).reset(task, n=2, seed=1)
    observation, _ = env.reset(seed=1)
    pulls = np.zeros((horizon, 2), int)
    for t in range(horizon):
        pulls[t] = exact.act(observation)
        if t:
            np.testing.assert_array_equal(budgeted.act(observation), pulls[t])
        following, reward, *_ = env.step(pulls[t])
        for agent in (exact, budgeted):
            agent.observe(observation, pulls[t], reward)
        observation = following
    assert all(len(np.unique(own)) > 15 for own in pulls.T)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"qbar": 0.0}, "qbar"),
        ({"qbar": float("nan")}, "qbar"),
        ({"accuracy": 1.0}, "accuracy"),
        ({"accuracy": float("nan")}, "accuracy"),
        ({"radius": "printed"}, "radius"),
        ({"radius": -1.0}, "radius"),
        ({"delta": 1.0}, "delta"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.BKB(**given)
