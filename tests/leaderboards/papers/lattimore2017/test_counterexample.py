"""The rules on optimism's regret, counts of plays, and a tiny run."""

import numpy as np
import pytest

from agents import OFUL, play
from leaderboards.papers.claim import Sample
from leaderboards.papers.lattimore2017 import counterexample as paper
from leaderboards.papers.simulations import environments
from leaderboards.papers.verdicts import Verdict

HOLDS, FAILS, OPEN = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE


def test_few_plays_may_be_vacuous(judged):
    for share, limit, verdict in (
        (0.3, 0.1, HOLDS),
        (1.2, 0.1, FAILS),
        (0.3, 1.2, Verdict.VACUOUS),
    ):
        found = judged("few-plays", {"eps = 1/10": share, "limit / rounds, eps = 1/10": limit})
        assert found == {"eps = 1/10": verdict}


def test_growth(judged):
    beside = {"OFUL, regret / optimal": 9.0}
    for slope, verdict in ((1.0, HOLDS), (0.7, OPEN), (0.1, FAILS)):
        found = judged("growth", {"OFUL": slope, "Thompson sampling": slope} | beside)
        assert found == {"OFUL": verdict, "Thompson sampling": verdict}


def test_no_optimists_have_two_tests_each(judged):
    numbers = dict.fromkeys(paper.OTHERS, 0.1)
    numbers |= {f"{name} / OFUL": 0.5 for name in paper.OTHERS}
    assert set(judged("no-optimists", numbers).values()) == {HOLDS}
    worse = {"LinMED": 0.6, "IDS, full / OFUL": 1.2}
    found = judged("no-optimists", numbers | worse)
    assert {name for name, part in found.items() if part is FAILS} == set(worse)


def test_plays_and_limit():
    """Plays of (0, 1) and (1 - eps, 4 eps) explain the regret, and the limit has OFUL's radius."""
    agent, epsilon = OFUL(delta=paper.DELTA), 0.05
    place = {"arms": paper.arms(epsilon), "theta": [1.0, 0.0], "noise_std": paper.NOISE_STD}
    envs = environments("LinearBandit-v0", range(4), **place, horizon=300)
    trace = play(envs, agent, rounds=range(1, 301))
    each = np.diff(trace.regret, prepend=0.0)
    plays, limit = paper.plays_and_limit(agent, epsilon)
    np.testing.assert_allclose(plays, np.isclose(each, 1.0).sum(axis=1), atol=1e-8)
    np.testing.assert_allclose(limit, 1 + 4 * agent.radii() ** 2)


def test_numbers_by_hand():
    inverse, end = np.array([10, 100]), {"horizon": np.full(3, 1e6)}
    curves = {name: np.tile([10.0, 100.0], (3, 1)) for name in paper.AGENTS}
    found = paper.of_paper(Sample(inverse, curves | end))
    assert found["OFUL"].value == pytest.approx(1.0)
    assert found["OFUL, regret / optimal"].value == pytest.approx(100 / (3.2 * np.log(1e6)))
    assert paper.of_others(Sample(inverse, curves | end))["LinMED / OFUL"].value == 1.0


def test_a_tiny_run(tiny):
    sample = tiny("counterexample", {"horizon": 300, "epsilons": [0.2, 0.1]})
    assert list(sample.rounds) == [5, 10]
    assert (sample.measures["plays, OFUL"] < sample.measures["limit, OFUL"]).all()
