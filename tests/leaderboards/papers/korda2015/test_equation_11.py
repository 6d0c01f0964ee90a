"""Means of equation (11)'s steps against a simulation, verdict rules, a tiny run and a fault."""

import numpy as np
import pytest

from agents import FastLinUCB
from leaderboards.papers.claim import Finding, Verdict
from leaderboards.papers.korda2015 import equation_11 as paper

from ..module_claims import number

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
YES, NO, OPEN = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE
SEEDS = [3, 4, 7]


def test_rules():
    keys = [f"width / exact, {name}" for name in paper.PLAYED]
    for value, verdict in {1.2: YES, 0.82: YES, 0.805: OPEN, 0.6: NO, 2.0: NO}.items():
        found = CLAIMS["equation-11-widths"].judge(dict.fromkeys(keys, number(value)))
        assert found == dict.fromkeys(keys, verdict)
    ratios = [f"variance / expected, {name}" for name in paper.EXPECTED]
    runs = [f"runs with a choice against the bound, {name}" for name in paper.PLAYED]
    for value, verdict in {1.08: YES, 0.905: OPEN, 1.2: NO}.items():
        numbers = dict.fromkeys(ratios, number(value)) | dict.fromkeys(runs, number(0.0))
        found = CLAIMS["equation-11-mean"].judge(numbers | {runs[0]: number(0.025)})
        assert found == dict.fromkeys(ratios, verdict) | dict.fromkeys(runs, YES) | {runs[0]: NO}


def test_exact_widths():
    rng = np.random.default_rng(1)
    arms, rows = rng.normal(size=(4, 3)), rng.normal(size=(9, 3))
    gram = rows.T @ rows
    own = [x @ np.linalg.inv(gram + 2 * np.eye(3)) @ x for x in arms]
    np.testing.assert_allclose(paper.inverses(gram, arms, 2.0), own)


def test_mean_of_changing_arms():
    # Of 20 000 simulated rounds of steps; their relative sd is below 0.5, so of the mean's 0.0036.
    rng = np.random.default_rng(2)
    rows, x = rng.normal(size=(6, 3)) / 2, rng.normal(size=3)
    agent, ridge, n = FastLinUCB(phi_steps=4, phi_step=0.2), 0.7, 6
    phi = np.tile(x / (ridge + n * x @ x), (20_000, 1))
    gamma = min(0.2, 1 / (rows**2).sum(axis=1).max(), n / ridge)
    for _ in range(4):
        row = rows[rng.integers(n, size=len(phi))]
        product = (phi * row).sum(axis=1, keepdims=True)
        phi = phi + gamma * (x / n - product * row - ridge / n * phi)
    longest = (rows**2).sum(axis=1).max()
    found = paper.expected_of_changing(rows.T @ rows, n, x[None], agent, ridge, longest)
    assert found[0] == pytest.approx((phi @ x).mean(), rel=0.015)


def test_mean_of_arms_in_turn():
    # The mean over the draws of every step in turn, by the outer products of its samples.
    agent, ridge, d, n = FastLinUCB(phi_step=0.5, phi_decay=10.0), 2.0, paper.DIM, 12
    rows, phi = np.eye(d)[np.arange(n) % d], np.eye(d) / ridge
    for s in range(1, n + 1):
        gamma = min(0.5 * 10 / (10 + s), s / ridge)
        mean = rows[:s].T @ rows[:s] / s
        phi = phi + gamma * (np.eye(d) / s - phi @ mean - ridge / s * phi)
    np.testing.assert_allclose(paper.expected_in_turn(n, agent, ridge), phi.diagonal())


def test_a_tiny_run(tmp_path):
    experiment = CLAIMS["equation-11-mean"].experiment
    assert set(experiment.quick.settings) == set(experiment.full.settings) == {"samples"}
    sample = experiment.simulate(SEEDS, samples=30)
    alone = experiment.simulate(SEEDS[1:2], samples=30)
    for name, values in sample.measures.items():
        assert values.shape == (3, len(sample.rounds))
        np.testing.assert_array_equal(values[1], alone.measures[name][0])
    for claim in paper.CLAIMS:
        found = Finding.of(claim, sample, True)
        assert set(claim.headline) <= set(found.parts) == set(found.numbers)
    for name in paper.PLAYED:
        assert not sample.measures[f"{name}, against the bound"].any()
    experiment.draw(sample).savefig(tmp_path / "figure.png")


def test_a_greedy_agent_is_seen(monkeypatch):
    start = FastLinUCB._start

    def greedy(self):
        start(self)
        self._radius[:] = 0

    monkeypatch.setattr(FastLinUCB, "_start", greedy)
    sample = paper.widths(SEEDS, samples=30)
    found = Finding.of(CLAIMS["equation-11-mean"], sample, True)
    assert found.parts["runs with a choice against the bound, fixed arms"] is NO
