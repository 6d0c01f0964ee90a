"""The rules on LinMED and LinIMED, the agents' settings, and a tiny run."""

import numpy as np
import pytest

from leaderboards.papers.balagopalan2025 import comparisons as paper
from leaderboards.papers.claim import Sample
from leaderboards.papers.verdicts import Verdict

HOLDS, FAILS, OPEN = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE


def test_competitive_judges_oful_and_the_posterior(judged):
    others = (paper.OPTIMIST, paper.POSTERIOR, paper.THEOREM)
    names = [f"{name} / {other}, {paper.MANY}" for name in paper.SHARES for other in others]
    found = judged("competitive", dict.fromkeys(names, 1.0) | {names[0]: 1.2, names[1]: 1.1})
    assert found[names[0]] is FAILS
    assert found[names[1]] is OPEN
    assert list(found.values()).count(HOLDS) == 4
    assert not any(paper.THEOREM in name for name in found)


def test_wrong_noise_has_two_tests(judged):
    numbers = {f"{name} / OFUL, {belief}": 1.05 for name in paper.SHARES for belief in paper.WRONG}
    numbers |= {f"{name}: {belief} / R": 1.5 for name in paper.SHARES for belief in paper.WRONG}
    numbers["OFUL: 2 R / R"] = 3.0
    found = judged("wrong-noise", numbers)
    assert set(found.values()) == {HOLDS}
    assert "OFUL: 2 R / R" not in found
    worse = {"LinMED-50: R / 2 / R": 2.5, "LinMED-90 / OFUL, 2 R": 1.3}
    found = judged("wrong-noise", numbers | worse)
    assert {name for name, part in found.items() if part is FAILS} == set(worse)


@pytest.mark.parametrize(
    ("values", "verdict"), [((1.2, 0.9), HOLDS), ((1.2, 1.0), OPEN), ((1.2, 1.1), FAILS)]
)
def test_linimed_needs_one_circle(judged, values, verdict):
    pair = "LinIMED-1 / LinTS"
    places = (paper.MANY, paper.FEW)
    numbers = {f"{pair}, posterior, {place}": x for place, x in zip(places, values, strict=True)}
    numbers[f"{pair}, posterior, {paper.END}"] = 0.1
    assert judged("linimed", numbers) == {f"{pair}, posterior": verdict}


def test_agents_have_the_settings_of_the_scripts():
    agents = paper.agents_of(0.1)
    assert all(agent.ridge == pytest.approx(0.01) for agent in agents.values())
    assert agents["LinMED-99"].design_share + agents["LinMED-99"].best_share == 0.995
    assert agents["LinIMED-3"].variant == 3


def test_numbers_by_hand():
    names = [*paper.agents_of(1.0)]
    measures = {
        f"{name}, {place}": np.full((3, 1), 2.0 if name == "OFUL" else 1.0)
        for name in names
        for place in (paper.MANY, paper.FEW, paper.END)
    }
    measures |= {
        f"{name}, {paper.MANY}, {belief}": np.full((3, 1), 3.0)
        for name in ("OFUL", *paper.SHARES)
        for belief in paper.WRONG
    }
    sample = Sample(np.array([100]), measures)
    assert paper.ratios(sample, ["LinMED-50"], ["OFUL"])["LinMED-50 / OFUL, 20 arms"].value == 0.5
    found = paper.beliefs(sample)
    assert found["LinMED-50 / OFUL, 2 R"].value == 1.0
    assert found["LinMED-50: 2 R / R"].value == 3.0
    assert found["OFUL: R / 2 / R"].value == 1.5


def test_a_tiny_run(tiny):
    sample = tiny("comparisons", {"horizon": 100})
    assert len(sample.measures) == 3 * 8 + 2 * 4
