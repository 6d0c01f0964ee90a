"""The rules on coverage, the agent's probabilities by loops, and a tiny run."""

import numpy as np
import pytest

from leaderboards.ope import evaluate
from leaderboards.papers.claim import Sample
from leaderboards.papers.verdicts import Verdict
from leaderboards.papers.zhan2021 import coverage as paper

HOLDS, FAILS, OPEN = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE


@pytest.mark.parametrize("claim", ["stablevar", "contextual-stablevar"])
def test_coverage_is_judged_by_the_binomial_band_of_the_judged_weights(claim, judged):
    name = "StableVar" if claim == "stablevar" else "contextual StableVar"
    for share, verdict in ((0.95, HOLDS), (0.93, HOLDS), (0.97, HOLDS), (0.925, FAILS), (1, FAILS)):
        numbers = {f"{name}, optimal": share, "uniform, optimal": 0.5}
        assert judged(claim, numbers) == {f"{name}, optimal": verdict}


def test_the_band_is_three_standard_errors():
    assert pytest.approx(3 * (0.95 * 0.05 / paper.LOGS) ** 0.5, abs=1e-4) == paper.BAND
    experiment = paper.CLAIMS[0].experiment
    assert experiment.quick.seeds == experiment.full.seeds == paper.LOGS


def test_accuracy_needs_smaller_errors(judged):
    for ratio, verdict in ((0.9, HOLDS), (1.0, OPEN), (1.1, FAILS)):
        assert judged("accuracy", {"optimal": ratio}) == {"optimal": verdict}


def test_numbers_by_hand():
    measures = {}
    for name in paper.ESTIMATORS:
        for policy in paper.POLICIES:
            for signal in paper.SIGNALS:
                errors = [[1.0], [-3.0]] if name == "uniform" else [[2.0], [1.0]]
                measures[f"{name}, {policy}, {signal}, error"] = np.array(errors)
                measures[f"{name}, {policy}, {signal}, covered"] = np.array([[1.0], [0.0]])
    sample = Sample(np.array([1000]), measures)
    assert paper.error_ratios(sample)["optimal, signal, T = 1000"].value == 0.5
    found = paper.shares(sample, ["StableVar"])
    assert len(found) == 4
    assert found["StableVar, best arm, no signal, T = 1000"].value == 0.5


def test_the_values_of_the_policies():
    contexts = np.random.default_rng(0).standard_normal((400_000, 2))
    share = ((contexts < 0.5).all(axis=1)).mean()
    assert paper.value("best arm", 0.5) == pytest.approx(0.5 * share, abs=0.5 * 4 * 0.0008)
    assert paper.value("optimal", 0.5) == 0.5


def test_the_agents_probabilities_by_loops():
    rng = np.random.default_rng(4)
    regions, actions = rng.integers(4, size=(2, 300))
    actions[regions == 2] %= 3  # arm 3 never in region 2
    rewards = rng.normal(1, 2, 300)
    found = paper.thompson_policy(np.random.default_rng(1), 3, regions, actions, rewards)
    draws = np.random.default_rng(1).standard_normal((20, 4, 4))
    expected = np.zeros((4, 4))
    for region in range(4):
        for draw in draws:
            sampled = []
            for arm in range(4):
                own = rewards[(regions == region) & (actions == arm)]
                own = own if len(own) > 1 else rewards[actions == arm]
                precision = 1 / 0.1 + len(own) / own.var()
                mean = own.sum() / own.var() / precision
                sampled.append(mean + draw[region, arm] / precision**0.5)
            expected[region, np.argmax(sampled)] += 1 / 20
    floor = 15**-0.8 / 4
    np.testing.assert_allclose(found, floor + (1 - 4 * floor) * expected, atol=1e-12)


def test_the_log_is_played_as_it_says_and_its_head_is_a_log():
    log, regions = paper.thompson_log(3, 700, 0.5)
    assert np.bincount(log.policy_of_round).tolist() == [200, 100, 100, 100, 100, 100]
    rows = log.logging_policies[log.policy_of_round, np.arange(700)]
    np.testing.assert_allclose(rows.sum(axis=1), 1)
    assert (rows[:200] == 0.25).all()
    assert (log.predictions[:200] == 0).all()
    assert log.predictions[200:].any(axis=1).all()
    own = rows[np.arange(700), log.actions]
    assert abs((1 / own).mean() - 4) < 4 * (1 / own).std() / 700**0.5  # weights of the uniform
    short, _ = paper.thompson_log(3, 400, 0.5)
    policy = np.eye(4)[regions[:400]]
    first = paper.head(log, 400)
    assert len(first.logging_policies) == 3
    for name in paper.ESTIMATORS.values():
        found = [evaluate(one, policy, estimator=name) for one in (first, short)]
        assert found[0].low < found[0].high
    assert short.logging_policies.shape == first.logging_policies.shape


def test_a_tiny_run(tiny):
    sample = tiny("coverage", {"horizons": (500, 1000)})
    assert len(sample.measures) == 4 * 2 * 2 * 2
    for name, values in sample.measures.items():
        assert values.shape == (3, 2)
        assert not name.endswith("covered") or set(values.flat) <= {0.0, 1.0}
