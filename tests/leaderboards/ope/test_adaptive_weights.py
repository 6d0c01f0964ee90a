"""The adaptive weights are their definition, and cover where uniform weights do not."""

import dataclasses

import numpy as np
import pytest

from leaderboards.ope import Log, evaluate

from .known_truth import adaptive_log, drawn


def definition(estimator, log, policy):
    """The estimate and its standard error, by loops over pairs of rounds."""
    n_rounds, n_arms = policy.shape
    power = 0.5 if estimator.endswith("stablevar") else 1

    def inflation(t, s):
        e = log.logging_policies[log.policy_of_round[t]][s]
        return sum(policy[s][a] ** 2 / e[a] for a in range(n_arms))

    scores = []
    for t in range(n_rounds):
        arm, q = log.actions[t], log.predictions[t]
        weight = policy[t][arm] / log.logging_policies[log.policy_of_round[t]][t][arm]
        scores.append(sum(policy[t] * q) + weight * (log.rewards[t] - q[arm]))
    if estimator in ("minvar", "stablevar"):
        h = []
        for t in range(n_rounds):
            past = range(t) if t else range(n_rounds)
            h.append((sum(inflation(t, s) for s in past) / len(past)) ** -power)
        value = sum(h[t] * scores[t] for t in range(n_rounds)) / sum(h)
        squares = sum(h[t] ** 2 * (scores[t] - value) ** 2 for t in range(n_rounds))
        return value, squares**0.5 / sum(h)
    h = [[inflation(t, s) ** -power for s in range(n_rounds)] for t in range(n_rounds)]
    total = [sum(h[t][s] for t in range(n_rounds)) for s in range(n_rounds)]
    parts = [h[t][t] * scores[t] / total[t] for t in range(n_rounds)]
    squares = 0
    for t in range(n_rounds):
        mean = sum(h[t][s] / total[s] * parts[s] for s in range(n_rounds))
        squares += (parts[t] - mean) ** 2
    return sum(parts), squares**0.5


def random_log(contextual=True):
    rng = np.random.default_rng(5)
    of_round = np.sort(rng.integers(4, size=40))
    policies = rng.dirichlet(np.ones(3), (4, 40))
    if not contextual:
        policies = np.repeat(policies[:, :1], 40, axis=1)
    log = Log(
        drawn(rng, policies[of_round, np.arange(40)]),
        rng.normal(1, 1, 40),
        predictions=rng.normal(size=(40, 3)),
        logging_policies=policies,
        policy_of_round=of_round,
    )
    return log, rng.dirichlet(np.ones(3), 40)


ESTIMATORS = ["minvar", "stablevar", "contextual-minvar", "contextual-stablevar"]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_definition(estimator):
    log, policy = random_log()
    found = evaluate(log, policy, estimator=estimator)
    expected = definition(estimator, log, policy)
    assert (found.value, found.standard_error) == pytest.approx(expected, rel=0, abs=1e-12)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_an_agent_without_contexts_has_one_row_for_each_policy(estimator):
    log, policy = random_log(contextual=False)
    short = dataclasses.replace(log, logging_policies=log.logging_policies[:, 0])
    found, long = (evaluate(one, policy, estimator=estimator) for one in (short, log))
    assert (found.value, found.standard_error) == (long.value, long.standard_error)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_one_logging_policy_without_contexts_makes_all_weights_equal(estimator):
    log, policy = random_log(contextual=False)
    policy = np.repeat(policy[:1], 40, axis=0)
    log = dataclasses.replace(log, policy_of_round=np.zeros(40, int), actions=np.arange(40) % 3)
    found, uniform = (evaluate(log, policy, estimator=name) for name in (estimator, "dr"))
    assert found.value == pytest.approx(uniform.value, abs=1e-12)
    assert found.effective_sample_size == pytest.approx(uniform.effective_sample_size)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_rounds_that_cannot_play_what_the_policy_plays_have_no_weight(estimator):
    log, _ = adaptive_log(0)
    policies = log.logging_policies.copy()
    policies[1:] = [0.0, 1.0]  # after the first batch action 0 is not played
    actions = np.where(log.policy_of_round == 0, log.actions, 1)
    log = dataclasses.replace(log, logging_policies=policies, actions=actions)
    always_zero = np.tile([1.0, 0.0], (1000, 1))
    found = evaluate(log, always_zero, estimator=estimator)
    first = [np.asarray(array)[:250] for array in (log.actions, log.rewards)]
    alone = evaluate(Log(*first, np.full(250, 0.5)), always_zero[:250], estimator="ips")
    assert found.value == pytest.approx(alone.value, abs=1e-12)
    assert found.conclusive
    doubts = evaluate(log, always_zero, estimator="dr").doubts
    assert "in 750 of 1,000 rounds the policy plays what the log cannot have" in doubts


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_policy_that_no_logging_policy_can_play_is_no_evidence(estimator):
    log, policy = adaptive_log(0)
    never = np.zeros_like(log.logging_policies)
    never[..., 1] = 1
    never[:, 500:] = 0.5  # one context in two can be evaluated
    actions = np.where(np.arange(1000) < 500, 1, log.actions)
    log = dataclasses.replace(log, logging_policies=never, actions=actions)
    assert not evaluate(log, policy, estimator=estimator).conclusive


def coverage(estimator, n_logs=300):
    found = [evaluate(*adaptive_log(seed), estimator=estimator) for seed in range(n_logs)]
    return np.mean([one.low <= 1 <= one.high for one in found])


def test_uniform_weights_must_fail_on_an_adaptive_log():
    """The normal interval at 95 % covers 70 % of 1,000 logs; 4 errors of 300 are 0.106. A log whose
    policy changed therefore gets a warning: the doubts do not find all that mislead."""
    assert coverage("dr") < 0.81
    log, policy = adaptive_log(0)
    assert "the agent's policy changed" in evaluate(log, policy, estimator="dr").warnings[0]
    assert evaluate(log, policy, estimator="minvar").warnings == ()
    log = dataclasses.replace(log, policy_of_round=np.zeros(1000, int))
    assert evaluate(log, policy, estimator="dr").warnings == ()


def test_adaptive_weights_cover_an_adaptive_log():
    """MinVar's 95 % of 300 logs lie within 4 sqrt(0.95 0.05 / 300) = 0.05; StableVar covers 91.6 %
    of 1,000, nearer to it than uniform weights are, and 4 errors are 0.064."""
    assert abs(coverage("minvar") - 0.95) < 0.05
    assert abs(coverage("stablevar") - 0.916) < 0.064


def test_the_effective_sample_size_counts_the_weights_of_rounds():
    log, policy = random_log(contextual=False)
    log = dataclasses.replace(log, logging_policies=log.logging_policies[:, 0])
    policy = np.repeat(policy[:1], 40, axis=0)  # so that v is one number for each logging policy
    rows = log.logging_policies[log.policy_of_round]
    weights = policy[0, log.actions] / rows[np.arange(40), log.actions]
    weighted = weights / (policy[0] ** 2 / rows).sum(axis=1)
    found = evaluate(log, policy, estimator="minvar")
    assert found.effective_sample_size == pytest.approx(weighted.sum() ** 2 / sum(weighted**2))
