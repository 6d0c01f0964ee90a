"""Rules on made-up posteriors: which radius, when it is recomputed, who is played."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from agents.parts import confidence
from agents.parts.batching import EveryRound, VarianceBatches
from agents.parts.decision_rules import UCB, ThompsonSampling
from agents.parts.posteriors import Exact, FixedNystrom, Nystrom, RandomFourier
from banditgym.streams import AGENT, Stream

KNOWN = {"ridge": 0.3, "noise_std": 0.7, "param_norm": 1.9}
SEEDS = [5, 6, 7]
DECISIONS = np.array([2, 5, 9])
BOUND = {**KNOWN, "delta": 0.02}


def started(rule, posterior, batching):
    return rule.reset(
        seeds=SEEDS, posterior=posterior, batching=batching, prior_variance=2.5, **KNOWN
    )


class Model:
    """A posterior of made-up numbers."""

    pulls = np.array([0, 3, 9])
    log_det = np.array([0.0, 1.1, 4.2])
    mean = np.array([[0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.9], [0.0, 2.0, 0.0, 0.0]])
    variance = np.array([[0.0, 4.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.21], [-1e-18, 0.0, 0.0, 0.0]])

    def predict(self, contexts):
        return self.mean, self.variance

    def effective_dimension(self):
        return np.array([0.0, 0.8, 2.6])

    def sample(self, keys, t, scale):
        return self.mean * scale[:, None] + t[:, None] * keys[:, :1]


def expected(name):
    model = Model()
    s, t = model.effective_dimension(), model.pulls
    if name == "released":
        return confidence.released(s, t, **BOUND)
    if name == "nystrom":
        return confidence.nystrom(s, t, accuracy=0.4, prior_variance=2.5, **BOUND)
    if name == "batched":
        return confidence.batched(np.array([0.1, 0.2, 0.3]), threshold=3.0, **BOUND)
    return confidence.self_normalized(model.log_det, **BOUND)


@pytest.mark.parametrize(
    ("radius", "posterior", "batching", "name"),
    [
        ("released", Exact(), EveryRound(), "released"),
        ("released", Nystrom(), EveryRound(), "released"),
        ("released", FixedNystrom(), EveryRound(), "released"),
        ("released", Nystrom(), VarianceBatches(threshold=3.0), "batched"),
        ("released", Exact(), VarianceBatches(threshold=3.0), "batched"),
        ("theory", Exact(), EveryRound(), "self_normalized"),
        ("theory", Nystrom(), EveryRound(), "nystrom"),
    ],
)
def test_which_radius(radius, posterior, batching, name):
    assert UCB().delta == 0.1
    state = started(UCB(radius=radius, delta=0.02, accuracy=0.4), posterior, batching)
    batches = SimpleNamespace(log_sum=np.array([0.1, 0.2, 0.3]))
    state.follow(Model(), batches)
    np.testing.assert_array_equal(state.radius, expected(name))


def test_the_radius_stays_where_no_batch_ends():
    state = started(UCB(radius="released", delta=0.02), Nystrom(), VarianceBatches())
    state.follow(Model(), SimpleNamespace(log_sum=np.zeros(3)))
    before = state.radius.copy()
    state.follow(Model(), SimpleNamespace(log_sum=np.ones(3)), np.array([True, False, True]))
    assert ((state.radius > before) == [True, False, True]).all()
    assert state.radius[1] == before[1]


@pytest.mark.parametrize(("given", "constant"), [(0.25, 0.25), ("posterior", 2 * math.sqrt(0.3))])
@pytest.mark.parametrize("batching", [EveryRound(), VarianceBatches()])
def test_a_constant_radius_asks_the_posterior_nothing(given, constant, batching):
    state = started(UCB(radius=given), Nystrom(), batching)
    state.follow(None, None)
    np.testing.assert_array_equal(state.radius, np.full(3, constant))


@pytest.mark.parametrize(("radius", "arms"), [(0.0, [2, 0, 1]), (0.6, [1, 0, 1]), (2.0, [1, 3, 1])])
def test_optimism_plays_the_largest_bound_and_the_first_of_equals(radius, arms):
    """Scores at radius 2: 0 + 2 * 2 against 1; 1 + 2 against 0.9 + 2 * 1.1; at 0.6: 1.2 against 1,
    1.6 against 1.56. A variance below zero by rounding counts as none."""
    state = started(UCB(radius=radius), Exact(), EveryRound())
    np.testing.assert_array_equal(state.choose(Model(), None, DECISIONS), arms)


def test_arms_before_the_first_reward_are_the_decisions_uniforms():
    state = started(UCB(radius=2.0, uniform_first=True), Exact(), EveryRound())
    model = Model()
    model.pulls = np.array([0, 0, 1])
    for decisions in (np.zeros(3, int), DECISIONS):
        drawn = (4 * Stream(SEEDS, AGENT, 0, 0).uniform(decisions)).astype(int)
        chosen = state.choose(model, None, decisions)
        np.testing.assert_array_equal(chosen, [drawn[0], drawn[1], 1])


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        ("posterior", np.full(3, math.sqrt(0.3))),
        (0.4, np.full(3, 0.4)),
        ("theory", confidence.thompson_scale(Model.log_det, **BOUND)),
    ],
)
def test_which_scale(scale, expected):
    state = started(ThompsonSampling(scale=scale, delta=0.02), Exact(), EveryRound())
    state.follow(Model(), None)
    np.testing.assert_array_equal(state.scale, expected)


def test_thompson_sampling_plays_the_best_of_the_draw():
    """The draw is handed the agent's keys, the decisions and the scale; equals: the first."""
    seen = []

    class Drawn(Model):
        def sample(self, keys, t, scale):
            seen.append((keys, t, scale))
            return np.array([[0.0, 1.0, 1.0, 0.5], [-1.0, -2.0, -1.0, -3.0], [0.0, 0.0, 0.0, 0.1]])

    state = started(ThompsonSampling(scale=0.4), Exact(), EveryRound())
    np.testing.assert_array_equal(state.choose(Drawn(), None, DECISIONS), [1, 0, 3])
    ((keys, t, scale),) = seen
    np.testing.assert_array_equal(keys, Stream(SEEDS, AGENT, 0, 0).keys)
    np.testing.assert_array_equal(t, DECISIONS)
    np.testing.assert_array_equal(scale, np.full(3, 0.4))


@pytest.mark.parametrize(
    ("make", "given", "named"),
    [
        (UCB, {"radius": "printed"}, "radius.*'printed'"),
        (UCB, {"radius": -0.5}, "radius.*-0.5"),
        (UCB, {"radius": float("nan")}, "radius.*nan"),
        (UCB, {"delta": 0.0}, "delta.*0.0"),
        (UCB, {"accuracy": 0.0}, "accuracy.*0.0"),
        (ThompsonSampling, {"scale": "wide"}, "scale.*'wide'"),
        (ThompsonSampling, {"scale": None}, "scale.*None"),
        (ThompsonSampling, {"scale": float("inf")}, "scale.*inf"),
        (ThompsonSampling, {"delta": float("nan")}, "delta.*nan"),
    ],
)
def test_bad_hyperparameters_are_named_with_their_value(make, given, named):
    with pytest.raises(ValueError, match=named):
        make(**given)


@pytest.mark.parametrize(
    ("rule", "posterior", "reason"),
    [
        (ThompsonSampling(), FixedNystrom(variance="sor"), None),
        (ThompsonSampling(), FixedNystrom(variance="dtc"), "the DTC-corrected variance has none"),
        (ThompsonSampling(), Nystrom(), "the DTC-corrected variance has none"),
        (ThompsonSampling(), RandomFourier(), None),
        (ThompsonSampling(scale="theory"), RandomFourier(), "no theorem gives a scale"),
        (ThompsonSampling(scale="theory"), Exact(), None),
        (ThompsonSampling(scale=0.5), RandomFourier(), None),
    ],
)
def test_what_thompson_sampling_draws_from(rule, posterior, reason):
    assert rule.delta == 0.1
    found = rule.refusal(posterior, EveryRound())
    assert found is None if reason is None else reason in str(found)
