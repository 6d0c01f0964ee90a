"""GP-TS: its scale by the formula, its choices by the law that it samples."""

import math

import gymnasium
import numpy as np
import pytest

import agents
from banditgym.functions.covariances import RBF
from banditgym.tasks import KernelTask

ARMS = np.array([[0.1], [0.25], [0.7]])


def _history(n, pulls, rewards, **given):
    """n replicates that differ in their seed alone, all with the same past."""
    task = KernelTask(
        n_arms=3, dim=1, horizon=99, noise_std=0.5, subgaussian=0.5, covariance=RBF(variance=2.0),
        param_norm=1.5, arms=ARMS,
    )  # fmt: skip
    agent = agents.GPTS(**given).reset(task, n=n, seed=5)
    nothing = np.zeros(n, int)
    for arm, reward in zip(pulls, rewards, strict=True):
        agent.observe(nothing, np.full(n, arm), np.full(n, reward))
    return agent, nothing


PULLS, REWARDS = (0, 1, 1, 2, 0), (0.2, 0.9, 0.6, 0.4, 0.3)


@pytest.mark.parametrize(
    ("given", "factor", "scale"),
    [
        ({}, 1, lambda log_det: 0.5),
        ({"ridge": 0.7}, 2, lambda log_det: math.sqrt(0.7)),
        ({"scale": 1.3}, 3, lambda log_det: 1.3),
        (
            {"scale": "theory", "delta": 0.2, "param_norm": 0.3},
            4,
            lambda log_det: 0.5 * 0.3 + 0.5 * math.sqrt(log_det + 2 + 2 * math.log(10)),
        ),
    ],
    ids=["posterior", "ridge", "constant", "theory"],
)
def test_arms_are_played_as_often_as_the_posterior_says(exact, near, given, factor, scale):
    """Which of three arms is best: by 1e6 draws of numpy's from the posterior computed afresh.

    The shares of 20 000 replicates have standard errors of at most 0.0036, those of the draws
    0.0005; five of both together are 0.018. Rewards are larger where the scale is, so that a scale
    10 % off moves some share by 0.027 to 0.035.
    """
    n, rewards = 20_000, factor * np.array(REWARDS)
    agent, nothing = _history(n, PULLS, rewards, **given)
    pulled = ARMS[list(PULLS)]
    posterior = exact(ARMS, pulled, rewards, RBF(variance=2.0), given.get("ridge", 0.25))
    v = scale(posterior.log_det)
    near(agent.choice.scale, np.full(n, v), 1e-10)
    draws = np.random.default_rng(1).multivariate_normal(
        posterior.mean, v**2 * posterior.joint, size=10**6
    )
    expected = np.bincount(draws.argmax(axis=1), minlength=3) / 10**6
    played = np.bincount(agent.act(nothing), minlength=3) / n
    assert np.abs(played - expected).max() < 0.018


def test_a_scale_of_zero_is_greedy(make_kernel_env):
    env = make_kernel_env("rbf")
    greedy = agents.play(env, agents.KernelUCB(alpha=0.0), seed=3)
    np.testing.assert_array_equal(
        agents.play(env, agents.GPTS(scale=0.0), seed=3).regret, greedy.regret
    )


def test_the_sample_of_a_decision_is_fresh_whatever_was_observed():
    """With a ridge so large the posterior stays the prior: two choices are independent, and agree
    in the sum of the squared shares, less than a half."""
    agent, nothing = _history(2000, (), (), ridge=1e6)
    first = agent.act(nothing)
    assert 0.2 < (agent.act(nothing) == first).mean() < 0.6
    agent.decisions -= 2  # the first decision again
    np.testing.assert_array_equal(first, agent.act(nothing))
    agent.observe(nothing, first, np.zeros(2000))
    assert 0.2 < (agent.act(nothing) == first).mean() < 0.6


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"scale": -1.0}, "scale"),
        ({"scale": float("nan")}, "scale"),
        ({"scale": "wide"}, "scale"),
        ({"delta": 0.0}, "delta"),
        ({"delta": float("nan")}, "delta"),
        ({"param_norm": -1.0}, "param_norm"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(given, named):
    with pytest.raises(ValueError, match=f"{named}.*{next(iter(given.values()))}"):
        agents.GPTS(**given)


def test_changing_arms_are_refused():
    env = gymnasium.make("KernelBandit-v0", function="branin", fixed_arms=False)
    with pytest.raises(ValueError, match="GPTS.*ThompsonSampling is for fixed arms"):
        agents.GPTS().reset(env.unwrapped.task)
