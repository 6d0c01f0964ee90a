"""Effective sample sizes, Pareto k, and the doubts about logs that do not suffice."""

import numpy as np
import pytest

from leaderboards.ope import Log, evaluate
from leaderboards.ope.overlap import WeightSums, largest_k

from .known_truth import stationary_log


def sums(weights, parts=1):
    """The sums of weights (T,) that come in several parts."""
    found = WeightSums(len(weights))
    for part in np.array_split(weights, parts):
        found.add(part, np.ones(len(part)), np.zeros(len(part), bool))
    return found


def pareto_k(weights):
    return sums(weights, 3).pareto_k


def effective_sample_size(weights):
    return sums(weights).effective_sample_size


def fitted_shape(weights):
    """Zhang and Stephens' estimator on the tail of weights, by loops."""
    n = len(weights)
    length = int(3 * n**0.5) if n > 225 else n // 5
    ordered = sorted(weights)
    excess = [one - ordered[n - length - 1] for one in ordered[n - length :]]
    quartile = excess[int(length / 4 + 0.5) - 1]
    m = 30 + int(length**0.5)
    thetas = [
        1 / excess[-1] + (1 - (m / (j - 0.5)) ** 0.5) / (3 * quartile) for j in range(1, m + 1)
    ]

    def shape(theta):
        return sum(np.log(1 - theta * one) for one in excess) / length

    logs = [length * (np.log(-t / shape(t)) - shape(t) - 1) for t in thetas]
    shares = [1 / sum(np.exp(other - one) for other in logs) for one in logs]
    k = shape(sum(t * share for t, share in zip(thetas, shares, strict=True)))
    return (k * length + 5) / (length + 10)


@pytest.mark.parametrize(("n", "shape"), [(100, 0.3), (1000, -0.4), (3000, 0.8)])
def test_pareto_k_is_its_definition(n, shape):
    uniforms = np.random.default_rng(n).random(n)
    weights = (uniforms**-shape - 1) / shape
    assert pareto_k(weights) == pytest.approx(fitted_shape(list(weights)), abs=1e-9)
    assert pareto_k(weights * 1000) == pytest.approx(pareto_k(weights))


@pytest.mark.parametrize("shape", [-0.5, 0.2, 0.7])
def test_pareto_k_finds_the_shape(shape):
    """Of 40,000 weights the tail has 600. The estimate of a shape k has a standard deviation of
    about (1 + k) / sqrt(600) = 0.07 at most, and the pull to 0.5 is below 0.02: within 0.25."""
    uniforms = np.random.default_rng(1).random(40_000)
    assert abs(pareto_k((uniforms**-shape - 1) / shape) - shape) < 0.25


@pytest.mark.parametrize(
    "weights",
    [
        np.ones(1000),
        np.arange(24.0),  # a tail of four
        np.repeat([0.0, 2.0], 500),
        np.concatenate([np.zeros(970), np.arange(30.0)]),  # more than a quarter of the tail is 0
        np.concatenate([np.ones(906), np.linspace(2, 3, 20), np.full(74, 50.0)]),  # 21 distinct
    ],
)
def test_steps_are_no_tail(weights):
    assert np.isnan(pareto_k(weights))


def test_the_effective_sample_size():
    assert effective_sample_size(np.full(7, 0.3)) == pytest.approx(7)
    assert effective_sample_size(np.array([1.0, 2.0, 3.0])) == pytest.approx(36 / 14)
    assert effective_sample_size(np.array([5.0, 0.0])) == pytest.approx(1)
    assert effective_sample_size(np.zeros(4)) == 0


def test_the_largest_k_that_a_size_allows():
    assert [largest_k(n) for n in (100, 1000, 10**6)] == pytest.approx([0.5, 2 / 3, 0.7])


def heavy(n_rounds, shape):
    """A log whose weights have a tail of a shape: the policy plays action 0 wherever it can."""
    rng = np.random.default_rng(0)
    propensities = rng.random(n_rounds) ** shape
    actions = (rng.random(n_rounds) > propensities).astype(int)
    table = np.stack([propensities, 1 - propensities], axis=1)
    return Log(actions, np.ones(n_rounds), table), np.tile([1.0, 0.0], (n_rounds, 1))


def test_dominating_weights_are_a_doubt():
    """Weights 1 / p, where P(1 / p > w) = w ** (-1 / shape), are played with probability p, so that
    those in the log have a tail of shape s / (1 + s): 0.83 at s = 5, and 0.5 at s = 1, within the
    band of the test above."""
    found = evaluate(*heavy(40_000, 5), estimator="snips")
    assert abs(found.pareto_k - 5 / 6) < 0.25
    assert f"few weights dominate: Pareto k is {found.pareto_k:.2f}, above 0.70" in found.doubts
    found = evaluate(*heavy(4000, 1), estimator="snips")
    assert abs(found.pareto_k - 0.5) < 0.25
    assert found.conclusive
    assert found.warnings == (
        f"the weights may have no variance: Pareto k is {found.pareto_k:.2f}",
    )


def test_what_a_log_cannot_have_is_a_doubt():
    log, policy = stationary_log(0, 500)
    table = np.array(log.propensities)
    other = (np.asarray(log.actions)[:3] + 1) % 3
    table[range(3)] = 0
    table[range(3), log.actions[:3]] = 1
    policy[range(3)] = np.eye(3)[other]
    found = evaluate(Log(log.actions, log.rewards, table, log.predictions), policy)
    assert found.doubts == ("in 3 of 500 rounds the policy plays what the log cannot have",)
    assert str(found).startswith("cannot be concluded from this log: in 3 of 500 rounds the")


def test_few_rounds_are_a_doubt():
    found = evaluate(*stationary_log(0, 60))
    size = found.effective_sample_size
    assert size < 60
    assert found.doubts == (f"the effective sample size is {size:.0f}, below 100",)
    assert evaluate(*stationary_log(0, 400)).doubts == ()


@pytest.mark.parametrize(("factor", "sure"), [(1.0, True), (0.8, False), (1.25, False)])
def test_weights_that_do_not_average_1_are_a_doubt(factor, sure):
    """The mean weight's error at 4,000 rounds is below 0.02; a factor of 0.8 is 10 of them off."""
    log, policy = stationary_log(0, 4000)
    played = np.asarray(log.propensities)[np.arange(4000), log.actions] * factor
    found = evaluate(Log(log.actions, log.rewards, played), policy, estimator="ips")
    assert found.conclusive == sure
    assert all("the weights average" in one for one in found.doubts)
