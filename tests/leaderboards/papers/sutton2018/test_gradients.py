"""The rules on gradient bandits, and a tiny run."""

import numpy as np

from leaderboards.papers.sutton2018 import gradients as paper
from leaderboards.papers.verdicts import Verdict

HOLDS, FAILS = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED


def test_the_baseline_is_worth_a_tenth(judged):
    found = judged("baseline", {"alpha = 0.1": 0.2, "alpha = 0.4": 0.05})
    assert found == {"alpha = 0.1": HOLDS, "alpha = 0.4": FAILS}
    assert judged("baseline", {"alpha = 0.1": 0.1})["alpha = 0.1"] is Verdict.INCONCLUSIVE


def test_no_effect(judged):
    def of(value):
        (part,) = judged("shift", {"alpha = 0.1": value}, half=1e-5).values()
        return part

    assert (of(0.0), of(0.002), of(-0.002)) == (HOLDS, FAILS, FAILS)


def test_a_tiny_run(tiny):
    sample = tiny("figure-2-5", {})
    for alpha in paper.ALPHAS:
        name = paper.gradient(alpha, True)
        around_4, around_0 = (sample.measures[f"{of}{name}, reward"] for of in ("", "around 0, "))
        np.testing.assert_allclose(around_4, around_0 + 4.0 * sample.rounds)
