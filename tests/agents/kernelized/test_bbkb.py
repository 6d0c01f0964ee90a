"""BBKB against its listing."""

import math

import numpy as np
import pytest

import agents
from banditgym.streams import uniform_at

DELTA, QBAR, THRESHOLD = 0.03, 3.0, 3.5


class Plain:
    """The listing for one replicate, from all its pulls, batch by batch."""

    def __init__(self, task, ridge, key, nystrom, embedded):
        self.task, self.ridge, self.key = task, ridge, key
        self.nystrom, self.embedded = nystrom, embedded
        self.batch, self.batches = [], 0
        self.start = task.covariance.diagonal(task.arms) / ridge  # variance at the batch's start
        self.z, self.left = np.zeros((task.n_arms, 0)), task.covariance.diagonal(task.arms)
        self.mean, self.variance = np.zeros(task.n_arms), self.start
        self.logs, self.t, self.b = 0.0, 0, 0.0

    def follow(self, past):
        if len(past) == self.t:
            return
        self.t = len(past)
        self.batch.append(past.arms[-1])
        self.logs += math.log(1 + self.start[past.arms[-1]])
        if 1 + sum(self.start[a] for a in self.batch) > THRESHOLD:
            arms, counts = np.unique(past.arms, return_counts=True)
            p = np.minimum(1.0, QBAR * self.start[arms])
            drawn = np.array([uniform_at(*self.key, self.t, int(a)) for a in arms])
            inducing = arms if self.t == 1 else arms[drawn < 1 - (1 - p) ** counts]
            self.z, self.left = self.nystrom(self.task.arms, inducing, self.task.covariance)
            posterior = self.embedded(self.z, self.left, self.ridge, past.arms, past.rewards)
            self.mean, self.start, self.b = posterior.mean, posterior.variance, self.logs
            self.batch, self.batches = [], self.batches + 1
        # the dictionary stays; the rewards of the batch's pulls do not matter to a variance
        self.variance = self.embedded(
            self.z, self.left, self.ridge, past.arms, past.rewards
        ).variance


@pytest.mark.parametrize("radius", ["released", 0.5])
def test_the_listing(kernel_env, follow, near, nystrom, embedded, radius):
    env, task = kernel_env, kernel_env.unwrapped.task
    ridge = task.subgaussian**2
    agent = agents.BBKB(qbar=QBAR, threshold=THRESHOLD, delta=DELTA, radius=radius)
    agent.reset(task, n=3, seed=11)
    plain = [Plain(task, ridge, key, nystrom, embedded) for key in agent.model.keys.tolist()]
    first = agent.act(np.zeros(3, int))

    def rho(i):
        if radius != "released":
            return radius
        noise = math.sqrt(THRESHOLD * plain[i].b + math.log(1 / DELTA))
        return math.sqrt(ridge) * task.param_norm + task.subgaussian * noise

    def values(past, x, i):
        if not len(past):
            return np.eye(task.n_arms)[first[i]]
        return plain[i].mean + rho(i) * np.sqrt(plain[i].variance)

    def compare(past, x, i):
        plain[i].follow(past)
        near(agent.model.mean[i], plain[i].mean, 1e-7)
        near(agent.model.variance[i], plain[i].variance, 1e-7)
        near(agent.choice.radius[i], rho(i), 1e-7)

    follow(agent, env, values=values, compare=compare, rounds=150, tie=1e-6)
    for one in plain:  # batches of more than one pull, and of less than all
        assert 4 < one.batches < one.t / 2


def test_a_threshold_of_one_is_bkb(make_kernel_env):
    """Every pull with a variance ends its batch: with one constant radius the two are one."""
    env = make_kernel_env("rbf", horizon=100)
    batched = agents.play(env, agents.BBKB(threshold=1.0, radius=0.5), seed=3)
    every = agents.play(env, agents.BKB(radius=0.5), seed=3)
    np.testing.assert_array_equal(batched.regret, every.regret)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"threshold": 0.9}, "threshold"),
        ({"threshold": float("nan")}, "threshold"),
        ({"qbar": -1.0}, "qbar"),
        ({"radius": float("nan")}, "radius"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.BBKB(**given)
