"""Each estimator is its definition, is unbiased where it must be, and fails where it must."""

import numpy as np
import pytest

from leaderboards.ope import Log, evaluate
from leaderboards.ope.evaluation import MODEL_ALONE

from .known_truth import LOGGING, MEANS, TARGET, VALUE, drawn, stationary_log


def definition(estimator, log, policy, clip=np.inf):
    """The estimate and its standard error, by loops over rounds and actions."""
    n_rounds, n_arms = policy.shape
    base, numerator, denominator = [], [], []
    for t in range(n_rounds):
        arm = log.actions[t]
        weight = min(policy[t][arm] / log.propensities[t][arm], clip)
        modelled = sum(policy[t][a] * log.predictions[t][a] for a in range(n_arms))
        base.append(modelled if estimator in ("direct", "dr", "sndr") else 0)
        left = log.rewards[t] - (log.predictions[t][arm] if estimator in ("dr", "sndr") else 0)
        numerator.append(0 if estimator == "direct" else weight * left)
        denominator.append(weight if estimator in ("snips", "sndr") else 1)
    ratio = sum(numerator) / sum(denominator)
    value = sum(base) / n_rounds + ratio
    squares = 0
    for b, u, v in zip(base, numerator, denominator, strict=True):
        term = b - sum(base) / n_rounds + (u - ratio * v) * n_rounds / sum(denominator)
        squares += term**2
    return value, squares**0.5 / n_rounds


@pytest.mark.parametrize(
    ("estimator", "clip"),
    [
        ("direct", None),
        *((name, c) for name in ("ips", "snips", "dr", "sndr") for c in (None, 1.5)),
    ],
)
def test_the_definition(estimator, clip):
    rng = np.random.default_rng(3)
    policy, logging = rng.dirichlet(np.ones(4), 60), rng.dirichlet(np.ones(4), 60)
    log = Log(drawn(rng, logging), rng.normal(size=60), logging, rng.normal(size=(60, 4)))
    found = evaluate(log, policy, estimator=estimator, clip=clip)
    expected = definition(estimator, log, policy, clip or np.inf)
    assert (found.value, found.standard_error) == pytest.approx(expected, rel=0, abs=1e-12)


@pytest.mark.parametrize(
    ("estimator", "model"), [("ips", None), ("dr", "wrong"), ("dr", "right"), ("direct", "right")]
)
def test_estimates_are_unbiased(estimator, model):
    """The mean of 400 estimates is within 4 of its standard errors: a false alarm in 16,000."""
    models = {"model": MEANS} if model == "right" else {}
    values = [
        evaluate(*stationary_log(seed, 100, **models), estimator=estimator).value
        for seed in range(400)
    ]
    assert abs(np.mean(values) - VALUE) < 4 * np.std(values) / 20


@pytest.mark.parametrize("estimator", ["ips", "snips", "dr", "sndr"])
def test_normal_intervals_cover(estimator):
    """95 % of 400 logs of 1,000 rounds: 4 sqrt(0.95 0.05 / 400) = 0.044."""
    found = [evaluate(*stationary_log(seed, 1000), estimator=estimator) for seed in range(400)]
    coverage = np.mean([one.low <= VALUE <= one.high for one in found])
    assert abs(coverage - 0.95) < 0.044
    assert all(one.conclusive for one in found)


def test_self_normalised_estimates_move_with_the_rewards_and_ips_does_not():
    log, policy = stationary_log(0, 300)
    raised = Log(log.actions, np.asarray(log.rewards) + 100, log.propensities, log.predictions)
    gain = {
        name: evaluate(raised, policy, estimator=name).value
        - evaluate(log, policy, estimator=name).value
        for name in ("ips", "snips")
    }
    assert gain["snips"] == pytest.approx(100)
    assert abs(gain["ips"] - 100) > 1


def test_the_direct_method_must_fail_with_a_wrong_model():
    """Its intervals are narrow and elsewhere: 0 of 50; those of dr cover with the same model."""
    for seed in range(50):
        found = evaluate(*stationary_log(seed, 1000), estimator="direct")
        assert found.high < VALUE
        assert found.doubts == (MODEL_ALONE,)


def test_clipped_ips_must_fail_by_what_it_cuts():
    """The bias is -E[(w - c)+ r]: the mean of 200 estimates is within 4 standard errors."""
    cut = (LOGGING * np.maximum(TARGET / LOGGING - 1.5, 0) * MEANS).sum() / 3
    found = [
        evaluate(*stationary_log(seed, 1000), estimator="ips", clip=1.5) for seed in range(200)
    ]
    values = [one.value for one in found]
    assert abs(np.mean(values) - (VALUE - cut)) < 4 * np.std(values) / 200**0.5
    assert np.mean([one.low <= VALUE <= one.high for one in found]) < 0.1
    assert all("weights were cut to 1.5" in one.warnings[0] for one in found)
    assert all("clipping moves the estimate by" in one.doubts[0] for one in found)
    assert evaluate(*stationary_log(0, 1000), estimator="ips", clip=4.4).conclusive


def test_ips_must_fail_with_wrong_propensities_and_a_right_model_saves_dr():
    uniform = np.full((3, 3), 1 / 3)
    missed, caught = [], []
    for seed in range(100):
        log, policy = stationary_log(seed, 4000, model=MEANS, propensities=uniform)
        ips, dr = (evaluate(log, policy, estimator=name) for name in ("ips", "dr"))
        missed.append([not one.low <= VALUE <= one.high for one in (ips, dr)])
        caught.append("are the propensities those" in " ".join(ips.doubts))
    # 5 of 100 are outside by chance, and 15 in one of 30,000 tries.
    assert np.sum(missed, axis=0)[0] > 95
    assert np.sum(missed, axis=0)[1] < 15
    assert all(caught)
