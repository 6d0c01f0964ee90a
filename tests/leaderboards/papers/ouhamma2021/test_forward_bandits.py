"""Verdict rules of the claims on bandits, and their experiments at a tiny size."""

import gymnasium
import numpy as np
import pytest

from agents import play
from agents.parts.optimism import Optimism
from leaderboards.papers.claim import Finding, Verdict
from leaderboards.papers.ouhamma2021 import forward_bandits as paper
from leaderboards.papers.recorder import Recorder
from leaderboards.rank.interval_estimates import Estimate

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
SEEDS = [3, 4, 7]


def number(value, half=0.01):
    return Estimate(*map(np.asarray, (value, value - half, value + half)))


def judged(claim, numbers):
    return CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()})


def test_figure_3_order():
    names = [f"λ = {ridge}, {reading}" for reading in paper.READINGS for ridge in paper.RIDGES]
    assert judged("figure-3-order", dict.fromkeys(names, 1.0)) is Verdict.REPRODUCED
    assert judged("figure-3-order", dict.fromkeys(names, 1.095)) is Verdict.NOT_REPRODUCED
    some = dict.fromkeys(names, 20.0) | {names[3]: 0.5}
    assert judged("figure-3-order", some) is Verdict.PARTLY


def test_figure_3_ridge():
    ridge = {f"OFUL, {reading}": 3.0 for reading in paper.READINGS}
    forward = {f"ForwardOFUL, {reading}": 1.0 for reading in paper.READINGS}
    assert judged("figure-3-ridge", ridge | forward) is Verdict.REPRODUCED
    assert judged("figure-3-ridge", dict.fromkeys(ridge, 1.0) | forward) is Verdict.NOT_REPRODUCED
    # It must be OFUL that depends on the ridge, not both.
    assert judged("figure-3-ridge", ridge | dict.fromkeys(forward, 3.0)) is Verdict.NOT_REPRODUCED
    some = ridge | forward | {"OFUL, fixed arms, sd 0.1": 1.995}
    assert judged("figure-3-ridge", some) is Verdict.PARTLY


def test_coverage():
    def of(oful, forward):
        return judged("coverage", {"OFUL leaves": oful, "ForwardOFUL leaves": forward})

    assert of(0.05, 0.089) is Verdict.REPRODUCED
    assert of(0.05, 0.095) is Verdict.PARTLY
    assert of(0.3, 0.095) is Verdict.NOT_REPRODUCED


def test_drift():
    def of(oful, linucb):
        numbers = {"DiscountedLinUCB / OFUL": oful, "DiscountedLinUCB / LinUCB": linucb}
        return judged("drift", numbers | {"ForwardDiscountedLinUCB / DiscountedLinUCB": 9.0})

    assert of(0.5, 0.98) is Verdict.REPRODUCED
    assert of(0.5, 0.995) is Verdict.PARTLY
    assert of(1.5, 1.0) is Verdict.NOT_REPRODUCED


@pytest.mark.parametrize(
    ("name", "settings"),
    [("figure-3", {"horizon": 6}), ("coverage", {"horizon": 30}), ("drift", {"horizon": 3050})],
)
def test_experiments_at_a_tiny_size(name, settings, tmp_path):
    own = [claim for claim in paper.CLAIMS if claim.experiment.name == name]
    experiment = own[0].experiment
    assert set(settings) == set(experiment.quick.settings) == set(experiment.full.settings)
    sample = experiment.simulate(SEEDS, **settings)
    assert all(len(values) == 3 for values in sample.measures.values())
    alone = experiment.simulate(SEEDS[1:2], **settings)
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
    for claim in own:
        found = Finding.of(claim, sample)
        assert found.numbers
        assert found.verdict in Verdict
    if experiment.draw is not None:
        experiment.draw(sample).savefig(tmp_path / "figure.png")


def test_coverage_is_recomputed(monkeypatch):
    # With sets of half their size theta leaves some of them, and not all.
    radii = Optimism.radii  # OFUL's and ForwardOFUL's
    monkeypatch.setattr(Optimism, "radii", lambda self, contexts=None: radii(self, contexts) / 2)
    horizon, seeds, theta = 40, list(range(12)), np.full(5, 5**-0.5)
    found = paper.coverage(seeds, horizon)
    settings = {"dim": 5, "n_arms": 10, "noise_std": 0.5, "theta": theta, "horizon": horizon}
    for kind in (paper.OFUL, paper.ForwardOFUL):

        def notes(agent, contexts, arms, reward):
            return {"x": contexts, "arm": arms, "reward": reward, "radius": agent.radii(contexts)}

        recorder = Recorder(agent=kind(ridge=1.0, delta=0.1), notes=notes)
        envs = gymnasium.make_vec("LinearBandit-v0", num_envs=len(seeds), **settings)
        play(envs, recorder, seed=seeds)
        kept = recorder.kept()
        left = np.zeros(len(seeds), bool)
        for i in range(len(seeds)):
            gram, moment = np.eye(5), np.zeros(5)
            for t in range(horizon):
                arms, radius = kept["x"][i, t].T, kept["radius"][i, t]
                if kind is paper.OFUL:
                    away = np.linalg.solve(gram, moment) - theta
                    left[i] |= np.sqrt(away @ gram @ away) > radius
                else:
                    for x, width in zip(arms, radius, strict=True):
                        inverse = np.linalg.inv(gram + np.outer(x, x))
                        off = abs(x @ inverse @ moment - x @ theta)
                        left[i] |= off > width * np.sqrt(x @ inverse @ x)
                x = arms[kept["arm"][i, t]]
                gram, moment = gram + np.outer(x, x), moment + kept["reward"][i, t] * x
        assert 0 < left.sum() < len(seeds)
        np.testing.assert_array_equal(found.measures[kind.__name__], left)
