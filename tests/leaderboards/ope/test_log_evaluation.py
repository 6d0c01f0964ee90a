"""Sums over chunks are the estimates of `evaluate`, and what a log cannot say is refused."""

import dataclasses
import json
import re

import numpy as np
import pandas
import pytest

from banditgym.logs import open_log
from leaderboards.ope import Log, evaluate, log_evaluation
from leaderboards.ope.log_evaluation import Choice, Moments, evaluate_log
from leaderboards.ope.log_models import ESTIMATED, LogModels
from leaderboards.ope.policies import policy_of

from .small_logs import frame, log, policy, rows

PLAIN = ("direct", "ips", "snips", "dr", "sndr")


@pytest.fixture
def table(tmp_path):
    pandas.DataFrame(policy()).to_csv(tmp_path / "pi.csv", index=False)
    return str(tmp_path / "pi.csv")


@pytest.fixture(autouse=True)
def short_chunks(monkeypatch):
    """Chunks of 70 rows."""
    from banditgym.logs import BanditLog

    chunks = BanditLog.chunks
    monkeypatch.setattr(BanditLog, "chunks", lambda self, rows=None: chunks(self, rows or 70))


def whole(opened, propensities=None):
    """The log's arrays, with its predictions."""
    models = LogModels(opened)
    predictions = np.concatenate([models.predictions(chunk) for chunk in opened.chunks()])
    _, known, _, actions, rewards = rows()
    return Log(actions, rewards, known if propensities is None else propensities, predictions)


def same(found, expected):
    for field in dataclasses.fields(found):
        one, other = getattr(found, field.name), getattr(expected, field.name)
        if isinstance(one, float):
            assert one == pytest.approx(other, rel=1e-9, abs=1e-12, nan_ok=True), field.name
        else:
            assert one == other, field.name


@pytest.mark.parametrize("clip", [None, 1.5])
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_sums_are_the_estimates_of_all_rounds_at_once(clip, level, table):
    opened = log()
    choice = Choice(estimators=PLAIN, clip=clip, level=level)
    [report] = evaluate_log(opened, [policy_of(table, opened)], choice).policies
    for found in report.evaluations:
        own = None if found.estimator == "direct" else clip
        expected = evaluate(
            whole(opened), policy(), estimator=found.estimator, clip=own, level=level
        )
        same(found, expected)


def test_the_gain_is_that_of_paired_rounds(table):
    opened, rewards = log(), rows()[4]
    for name in ("dr", "snips"):
        report = evaluate_log(opened, [policy_of(table, opened)], Choice(estimators=(name,)))
        [one] = report.policies
        found = evaluate(whole(opened), policy(), estimator=name)
        played = np.arange(600), rows()[3]
        weights = policy()[played] / rows()[1][played]
        if name == "dr":
            q = whole(opened).predictions
            terms = (policy() * q).sum(axis=1) + weights * (rewards - q[played])
        else:
            terms = found.value + weights * (rewards - found.value) / weights.mean()
        gaps = terms - rewards
        half = 1.959963984540054 * gaps.std() / 600**0.5
        expected = [gaps.mean(), gaps.mean() - half, gaps.mean() + half]
        np.testing.assert_allclose([one.gain, one.gain_low, one.gain_high], expected, atol=1e-12)
        assert report.logged == pytest.approx(rewards.mean())
        half = 1.959963984540054 * rewards.std() / 600**0.5
        assert report.logged_high - report.logged == pytest.approx(half)


def test_moments_of_large_numbers_do_not_cancel():
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(4, 1000)) + 1e8
    moments = Moments()
    for part in np.array_split(columns, [3, 400], axis=1):
        moments.add(part)
    np.testing.assert_allclose(moments.spread / 1000, np.cov(columns, ddof=0), rtol=1e-6)


@pytest.mark.parametrize("estimator", ["ips", "dr"])
def test_the_bootstrap_has_all_rows_in_memory(estimator, table):
    opened = log()
    choice = Choice(estimators=(estimator,), interval="bootstrap")
    [report] = evaluate_log(opened, [policy_of(table, opened)], choice).policies
    same(report.evaluations[0], evaluate(whole(opened), policy(), estimator=estimator,
                                         interval="bootstrap"))  # fmt: skip


def test_adaptive_weights_without_contexts(table):
    opened = log(context=False)
    choice = Choice(estimators=("stablevar", "dr"), learns=True)
    [report] = evaluate_log(opened, [policy_of(table, opened)], choice).policies
    models = LogModels(opened, 0, True)
    predictions = np.concatenate([models.predictions(chunk) for chunk in opened.chunks()])
    _, known, _, actions, rewards = rows()
    own = Log(actions, rewards, known, predictions, known, np.arange(600))
    same(report.evaluations[0], evaluate(own, policy(), estimator="stablevar"))
    assert "policy changed" in report.evaluations[1].warnings[0]
    assert "earns 0." in report.verdict


def test_agents_learn_from_the_first_rows_and_all_are_evaluated_on_the_others(table):
    opened = log()
    both = [policy_of(table, opened), policy_of("LinUCB", opened)]
    report = evaluate_log(opened, both, Choice(estimators=("ips",)), 0.25)
    assert report.n_rounds == 450
    assert report.logged == pytest.approx(rows()[4][150:].mean())
    _, known, _, actions, rewards = rows()
    later = Log(actions[150:], rewards[150:], known[150:])
    same(report.policies[0].evaluations[0], evaluate(later, policy()[150:], estimator="ips"))
    both[1].learn(opened, 150)
    own = np.concatenate([both[1].probabilities(chunk) for chunk in opened.chunks()])[150:]
    same(report.policies[1].evaluations[0], evaluate(later, own, estimator="ips"))
    assert "LinUCB learned from the first 150 rows" in report.remarks[0]


def test_rows_whose_reward_never_arrived_are_left_out(table):
    told, come = frame(), np.arange(600) % 3 > 0
    told["arrival"] = np.where(come, np.arange(600), np.nan)
    opened = open_log(told, {"context": ["x0", "x1"]}, n_arms=3)
    report = evaluate_log(opened, [policy_of(table, opened)], Choice(estimators=("snips", "dr")))
    _, known, _, actions, rewards = rows()
    models = LogModels(opened)
    assert models.n_sampled == 400
    predictions = np.concatenate([models.predictions(chunk) for chunk in opened.chunks()])
    kept = Log(actions[come], rewards[come], known[come], predictions[come])
    for found in report.policies[0].evaluations:
        same(found, evaluate(kept, policy()[come], estimator=found.estimator))
    assert "200 rows, whose reward never arrived, are left out" in report.remarks


def test_estimated_propensities(table):
    opened = log(propensity=False)
    choice = Choice(estimators=("ips", "dr"), estimate_propensities=True)
    report = evaluate_log(opened, [policy_of(table, opened)], choice)
    models = LogModels(opened)
    estimated = np.concatenate([models.propensities(chunk) for chunk in opened.chunks()])
    for found in report.policies[0].evaluations:
        expected = evaluate(whole(opened, estimated), policy(), estimator=found.estimator)
        assert (found.value, found.low) == pytest.approx((expected.value, expected.low))
    assert report.remarks[-1] == ESTIMATED


@pytest.mark.parametrize(
    ("without", "given", "message"),
    [
        ({"propensity": False}, {}, "propensities are missing: dr needs them; log them"),
        ({}, {"estimators": ("magic",)}, "estimator is 'magic': give one of direct"),
        ({}, {"estimators": ()}, "estimators are missing"),
        ({}, {"level": 95}, "level is 95: give a number between 0 and 1"),
        ({}, {"clip": -1}, "clip is -1: give a positive number"),
        ({}, {"estimate_propensities": True}, "has propensities: they need not be estimated"),
        ({}, {"estimators": ("minvar",)}, "minvar needs the probabilities that each of the agent"),
        ({"table": False, "context": False}, {"estimators": ("minvar",)}, "minvar needs the proba"),
    ],
)
def test_choices_that_cannot_be(without, given, message, table):
    opened = log(**without)
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        evaluate_log(opened, [policy_of(table, opened)], Choice(**given))
    assert "\n" not in str(error.value)


def test_what_needs_all_rows_is_refused_for_large_logs(monkeypatch, table):
    monkeypatch.setattr(log_evaluation, "MOST_WHOLE", 599)
    monkeypatch.setattr(log_evaluation, "MOST_ADAPTIVE", 500)
    opened = log(context=False)
    for given, most in (
        ({"interval": "bootstrap"}, "at most 599"),
        ({"estimators": ("stablevar",)}, "at most 500"),
    ):
        with pytest.raises(ValueError, match=f"needs all rows in memory, and is for {most}"):
            evaluate_log(opened, [policy_of(table, opened)], Choice(**given))


def test_a_deterministic_log_is_refused_and_a_train_share_too(table):
    told = frame(table=False).assign(propensity=1.0)
    opened = open_log(told, {"context": ["x0", "x1"]}, n_arms=3)
    with pytest.raises(ValueError, match="the log is deterministic"):
        evaluate_log(opened, [policy_of(table, opened)])
    for share in (0, 1, np.nan):
        with pytest.raises(ValueError, match="train is"):
            evaluate_log(log(), [policy_of("LinUCB", log())], train=share)


def test_verdicts():
    base = evaluate(whole(log()), policy(), estimator="dr")
    report = log_evaluation.PolicyReport("P", (base,), 0.1, 0.05, 0.15)
    assert report.verdict == "P: earns more than the logging policy, by 0.05 .. 0.15"
    worse = dataclasses.replace(report, gain_low=-0.2, gain_high=-0.1)
    assert worse.verdict == "P: earns less than the logging policy, by -0.2 .. -0.1"
    even = dataclasses.replace(report, gain_low=-0.2)
    assert even.verdict == "P: not clearly more or less than the logging policy: -0.2 .. 0.15"
    poor = dataclasses.replace(base, doubts=("too few", "too far"))
    report = dataclasses.replace(report, evaluations=(poor, base))
    assert report.verdict == "P: cannot be concluded from this log: too few; too far"


def test_a_report_is_json(table):
    opened = log()
    choice = Choice(estimators=("direct", "snips"))
    report = evaluate_log(opened, [policy_of(table, opened)], choice)
    plain = json.loads(json.dumps(report.plain(), allow_nan=False))
    assert plain["policies"][0]["evaluations"][1]["value"] == pytest.approx(
        report.policies[0].evaluations[1].value
    )
    assert "cannot be concluded" in plain["verdicts"]["pi.csv"]
