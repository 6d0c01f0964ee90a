"""The forms of PEGE that are clocked have its estimate; verdict rules; no time itself."""

import numpy as np
import pytest

from agents import PEGE
from leaderboards.papers.claim import Finding, Sample, Verdict
from leaderboards.papers.korda2015 import pege_times as paper
from leaderboards.papers.simulations import environments

from ..module_claims import number

(CLAIM,) = paper.CLAIMS
YES, NO, OPEN = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE


def test_rule():
    orders = [f"exponent in d of {name} / fPEGE-GD" for name in paper.EXACT]
    gains = [f"fPEGE-GD / {name}, d = 512" for name in paper.EXACT]
    for value, order, gain in ((0.9, YES, YES), (0.705, OPEN, YES), (1.2, YES, NO), (0.2, NO, YES)):
        found = CLAIM.judge({key: number(value) for key in (*orders, *gains)})
        assert found == dict.fromkeys(orders, order) | dict.fromkeys(gains, gain)


def test_numbers_of_made_up_times():
    dims = np.array(paper.DIMS)
    measures = {name: np.tile(1e-9 * dims**3, (3, 1)) for name in paper.EXACT}
    measures["fPEGE-GD"] = np.tile(2e-9 * dims**2, (3, 1))
    found = paper.numbers(Sample(dims, measures))
    assert len(found) == 18
    assert float(found["exponent in d of PEGE, solved anew / fPEGE-GD"].value) == pytest.approx(1)
    assert float(found["fPEGE-GD / PEGE, solved anew, d = 32"].value) == pytest.approx(2 / 32)
    assert set(CLAIM.headline) < set(found)


@pytest.mark.parametrize("name", paper.EXACT)
def test_every_form_has_the_estimate_of_pege(name):
    settings = {"dim": 4, "condition": 2.0, "horizon": 10}
    task = environments("EllipsoidBandit-v0", [0], **settings).unwrapped.task
    kept = {}
    for own in (PEGE(), paper.AGENTS[name]):
        seconds = paper.explored(own, task, 3, 3, seed=5)
        assert seconds.shape == (3,)
        assert (seconds > 0).all()
        kept[own] = own.theta
        assert own.cycle.tolist() == [4, 4, 4]  # three are played out
    first, second = kept.values()
    np.testing.assert_allclose(first, second, rtol=1e-6, atol=1e-6)


def test_a_tiny_run(monkeypatch, tmp_path):
    calls = []

    def explored(agent, task, replicates, cycles, seed):
        calls.append((type(agent).__name__, task.dim, replicates, seed))
        return np.array([0.0, 7.0, 5.0, 6.0]) * task.dim

    monkeypatch.setattr(paper, "explored", explored)
    sample = CLAIM.experiment.simulate([3, 4], cycles=4)
    for seconds in sample.measures.values():  # the shortest but for the first
        np.testing.assert_allclose(seconds, np.tile(5.0 * sample.rounds, (2, 1)))
    assert len(calls) == 2 * 5 * 4
    assert ("MatrixPEGE", 512, 2, 4) in calls
    assert ("FastPEGE", 8, 64, 3) in calls
    assert Finding.of(CLAIM, sample, True).verdict in Verdict
    CLAIM.experiment.draw(sample).savefig(tmp_path / "figure.png")
