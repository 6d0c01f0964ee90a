"""The rules on GLM-UCB and ada-OFU-ECOLog, and a short run."""

import numpy as np
import pytest

from leaderboards.papers.claim import Sample
from leaderboards.papers.lee2024 import flat_slopes as paper
from leaderboards.papers.verdicts import Verdict

HOLDS, FAILS, OPEN = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE
FAURY, LEE, GLM = (f"{name}, fixed" for name in (paper.FAURY, paper.LEE, paper.GLM))


def test_the_ratio_is_judged_with_one_radius(judged):
    for value, verdict in ((0.4, HOLDS), (0.5, OPEN), (0.6, FAILS)):
        found = judged("ecolog-or-glm-ucb", {FAURY: value, LEE: 2.0})
        assert found == {FAURY: verdict}


def test_almost_linear(judged):
    for glm, faury, verdicts in (
        (0.9, 0.5, (HOLDS, HOLDS)),
        (0.8, 0.8, (OPEN, OPEN)),
        (0.5, 0.9, (FAILS, FAILS)),
    ):
        found = judged("almost-linear", {GLM: glm, FAURY: faury, LEE: 0.1})
        assert (found[GLM], found[FAURY]) == verdicts


def test_exponents_of_powers():
    rounds = np.arange(50, 3001, 50)
    found = paper.exponents(Sample(rounds, {GLM: np.tile(rounds**0.7, (3, 1))}))
    assert found[GLM].value == pytest.approx(0.7)


def test_a_run(tiny, monkeypatch):
    monkeypatch.setattr(paper, "HORIZON", 300)
    monkeypatch.setattr(paper, "MIDDLE", 100)
    sample = tiny("flat-slopes", {})
    assert sample.measures.keys() == {f"{a}, {b}" for a in paper.PLAYED for b in paper.ARMS}
    assert sample.rounds[-1] == 300
