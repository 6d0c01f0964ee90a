"""Theorem 4.1's bounds against the paper's formulas, the rule, and a tiny run."""

import math

import numpy as np

from leaderboards.papers.ouhamma2021 import regret_bounds as paper
from leaderboards.papers.verdicts import Verdict


def test_the_bounds_are_the_papers():
    settings = {"arms": np.array([[3.0, 0.0], [0.0, 4.0]]), "theta": [0.3, 0.4]}
    t, d, x, s = 50, 2, 4.0, 0.5
    inner = paper.NOISE * math.sqrt(2 * math.log(10) + d * math.log(1 + t * x * x / d))
    root = 4 * math.sqrt(t * d * math.log(1 + t * x * x / d))
    forward = root * ((1 + x) * s + inner)
    ridge = root * math.sqrt(x * x / math.log(1 + x * x)) * (s + inner)
    found = [float(paper.limit(name, settings, np.array([t]))[0]) for name in paper.AGENTS]
    np.testing.assert_allclose(found, [ridge, forward])


def test_the_largest_regrets_of_a_round():
    for settings, gap in paper.BANDITS.values():
        means = settings["arms"] @ np.array(settings["theta"])
        np.testing.assert_allclose(means.max() - means.min(), gap)


def test_theorem(judged):
    runs = [f"{agent}, {bandit}" for bandit in paper.BANDITS for agent in paper.AGENTS]
    of = {f"{run}: runs above": 0.02 for run in runs}
    of |= {f"{run}: bound / worst": 0.3 for run in runs}
    assert set(judged("theorem-4-1", of).values()) == {Verdict.REPRODUCED}
    broken = of | {f"{runs[0]}: runs above": 0.8}
    assert judged("theorem-4-1", broken)[f"{runs[0]}: runs above"] is Verdict.NOT_REPRODUCED
    useless = broken | {f"{runs[0]}: bound / worst": 2.0}
    assert judged("theorem-4-1", useless)[f"{runs[0]}: runs above"] is Verdict.VACUOUS


def test_play_without_exploration_breaks_the_bound(monkeypatch):
    for kind in paper.AGENTS.values():
        monkeypatch.setattr(kind, "radii", lambda self, contexts=None: np.zeros(self.n))
    sample = paper.regrets(list(range(6)), horizon=8000)
    parts = paper.CLAIMS[0].judge(paper.numbers(sample))
    assert parts["OFUL, two long arms: runs above"] is Verdict.NOT_REPRODUCED
    assert parts["ForwardOFUL, two long arms: runs above"] is Verdict.NOT_REPRODUCED


def test_a_tiny_run(tiny):
    tiny("bandit-regret", {"horizon": 40})
