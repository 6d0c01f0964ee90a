"""What is refused, what a result says, and that nothing else of the project is needed."""

import re
import subprocess
import sys

import numpy as np
import pytest

from leaderboards.ope import Log, evaluate
from leaderboards.ope.evaluation import ESTIMATORS

from .known_truth import adaptive_log, stationary_log


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("table", [False, True])
def test_weighting_estimators_refuse_a_deterministic_log(estimator, table):
    actions = np.arange(40) % 2
    one_hot = np.eye(2)[actions]
    log = Log(actions, np.ones(40), one_hot if table else np.ones(40), np.zeros((40, 2)),
              one_hot[:2], actions)  # fmt: skip
    policy = np.full((40, 2), 0.5)
    if estimator == "direct":
        assert evaluate(log, policy, estimator=estimator).value == 0
        return
    with pytest.raises(ValueError, match="the log is deterministic") as error:
        evaluate(log, policy, estimator=estimator)
    assert estimator in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("drop", "given", "message"),
    [
        ((), {"estimator": "magic"}, "estimator is 'magic': give one of direct, ips"),
        ((), {"interval": "magic"}, "interval is 'magic': give one of normal, bootstrap"),
        ((), {"level": 95}, "level is 95: give a number between 0 and 1"),
        ((), {"clip": 0}, "clip is 0: give a positive number"),
        ((), {"clip": 5, "estimator": "direct"}, "clip is 5: give a positive number, to ips"),
        ((), {"clip": 5, "estimator": "minvar"}, "clip is 5"),
        ((), {"estimator": "minvar", "interval": "bootstrap"}, "minvar has no bootstrap"),
        ((), {"estimator": "minvar", "interval": "bernstein"}, "minvar has no bounded terms"),
        (("predictions",), {}, "predictions are missing: dr needs them"),
        (("logging_policies",), {"estimator": "minvar"}, "logging_policies are missing: minvar"),
        (("propensities", "logging_policies"), {}, "propensities are missing: dr needs them"),
    ],
)
def test_choices_that_cannot_be(drop, given, message):
    log, policy = adaptive_log(0)
    arrays = {"propensities": np.full(1000, 0.5)} if "logging_policies" in drop else {}
    arrays |= {name: getattr(log, name) for name in vars(log) if name not in arrays}
    arrays |= dict.fromkeys(drop)
    with pytest.raises(ValueError, match=re.escape(message)):
        evaluate(Log(**arrays), policy, **given)


def test_a_result_says_what_it_is():
    log, policy = stationary_log(0, 1000)
    found = evaluate(log, policy, estimator="snips", level=0.9)
    assert str(found) == (
        f"{found.value:.4g}, 90 % within {found.low:.4g} .. {found.high:.4g} "
        "(snips, normal, 1,000 rounds)"
    )
    played = np.asarray(log.propensities)[np.arange(1000), log.actions]
    weights = policy[np.arange(1000), log.actions] / played
    assert found.smallest_propensity == played.min() == 0.2
    assert found.largest_weight == weights.max()
    assert found.effective_sample_size == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert (found.warnings, found.conclusive) == ((), True)


def test_a_log_without_propensities_has_the_direct_method():
    log, policy = stationary_log(0, 1000)
    found = evaluate(Log(log.actions, log.rewards, None, log.predictions), policy,
                     estimator="direct")  # fmt: skip
    assert found.value == evaluate(log, policy, estimator="direct").value
    assert np.isnan([found.effective_sample_size, found.pareto_k, found.smallest_propensity]).all()


@pytest.mark.parametrize("interval", ["normal", "bootstrap"])
def test_a_policy_that_never_plays_what_was_played_has_no_estimate(interval):
    actions = np.zeros(500, int)
    log = Log(actions, np.ones(500), np.full(500, 0.5))
    found = evaluate(log, np.tile([0.0, 1.0], (500, 1)), estimator="snips", interval=interval)
    assert np.isnan([found.value, found.low, found.high, found.standard_error]).all()
    assert found.doubts[0] == "the effective sample size is 0, below 100"


def test_it_needs_neither_the_rest_of_the_project_nor_scikit_learn():
    code = """import sys, numpy as np
from leaderboards.ope import Log, evaluate
print(evaluate(Log([0, 1], [1, 2], [0.5, 0.5]), np.full((2, 2), 0.5), estimator="ips").value)
others = ("agents", "banditgym", "gymnasium", "numba", "scipy", "sklearn", "pandas", "torch")
print([name for name in others if name in sys.modules])"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.split("\n")[:2] == ["1.5", "[]"]
