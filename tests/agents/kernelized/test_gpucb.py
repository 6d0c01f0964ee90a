"""GP-UCB against its formula, its confidence sets against f."""

import math

import gymnasium
import numpy as np
import pytest

import agents
from banditgym.functions.covariances import Matern

DELTA = 0.03


def radius_of(name, posterior, t, ridge, noise_std, param_norm):
    if name == "released":
        noise = posterior.effective_dimension * math.log(max(t, 1)) + math.log(1 / DELTA)
    elif name == "theory":
        noise = posterior.log_det + 2 * math.log(1 / DELTA)
    else:
        return name
    return math.sqrt(ridge) * param_norm + noise_std * math.sqrt(noise)


@pytest.fixture
def follow_gpucb(follow, near, exact):
    """Plays an episode and compares every state, radius and decision with the definition."""

    def run(env, rounds=120, **given):
        task = env.unwrapped.task
        agent = agents.GPUCB(delta=DELTA, **given)
        noise_std = given.get("noise_std", task.subgaussian)
        ridge = given.get("ridge", noise_std**2)
        covariance = given.get("covariance", task.covariance)
        param_norm = given.get("param_norm", task.param_norm)

        known = {}

        def numbers(past, x, i):
            if task.fixed_arms:
                x, points = task.arms, task.arms[np.array(past.arms, int)]
            else:
                points = np.array(past.features).reshape(-1, task.dim)
            posterior = exact(x, points, past.rewards, covariance, ridge)
            radius = radius_of(
                given.get("radius", "released"), posterior, len(past), ridge, noise_std, param_norm
            )
            known[i] = posterior, radius
            return posterior, radius

        def values(past, x, i):
            posterior, radius = known[i]  # compared just before
            return posterior.mean + radius * np.sqrt(np.maximum(posterior.variance, 0))

        def compare(past, x, i):
            posterior, radius = numbers(past, x, i)
            mean, variance = agent.model.mean, agent.model.variance
            near(mean[i], posterior.mean, 1e-8)
            near(variance[i], posterior.variance, 1e-8)
            near(agent.choice.radius[i], radius, 1e-8)

        # States agree to 1e-8, and so do scores of order 1.
        follow(agent, env, values=values, compare=compare, rounds=rounds, tie=1e-7)

    return run


@pytest.mark.parametrize("radius", ["released", "theory"])
def test_the_norm_is_the_tasks(kernel_env, follow_gpucb, radius):
    follow_gpucb(kernel_env, radius=radius)


def test_given(make_kernel_env, follow_gpucb):
    """A covariance, noise, norm and ridge other than the environment's; three hundred rounds."""
    given = {"noise_std": 0.3, "param_norm": 0.4, "ridge": 0.7, "covariance": Matern(nu=1.5)}
    follow_gpucb(make_kernel_env("rbf", horizon=300), rounds=300, **given)


def test_constant(make_kernel_env, follow_gpucb):
    follow_gpucb(make_kernel_env("rough"), radius=0.8)


@pytest.mark.parametrize("radius", ["released", "theory"])
def test_arms_may_change(follow_gpucb, radius):
    """Branin's function at six other points in every round, by a covariance that is off."""
    env = gymnasium.make_vec(
        "KernelBandit-v0", num_envs=3, n_arms=6, function="branin", fixed_arms=False, horizon=120,
        covariance=Matern(nu=2.5, length_scale=0.4, variance=2.0), noise_std=0.2,
    )  # fmt: skip
    follow_gpucb(env, radius=radius)


def test_the_first_arm_is_the_first_of_the_most_uncertain(make_kernel_env):
    task = make_kernel_env("rbf").unwrapped.task
    assert agents.GPUCB().reset(task).act(0) == 0
    task = make_kernel_env("linear").unwrapped.task
    longest = int(np.argmax((task.arms**2).sum(axis=1)))
    assert longest != 0
    assert agents.GPUCB().reset(task).act(0) == longest
