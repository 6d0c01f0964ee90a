"""Rows that grow, the predictions on them, and the rule of the claim."""

import numpy as np
import pytest

from agents import OnlineRidge
from leaderboards.papers.ouhamma2021 import growing_rows as paper
from leaderboards.papers.verdicts import Verdict


def test_four_times(judged):
    (yes,) = judged("four-times", {"ridge / forward": 5.0}).values()
    (no,) = judged("four-times", {"ridge / forward": 3.9}).values()
    assert (yes, no) == (Verdict.REPRODUCED, Verdict.NOT_REPRODUCED)


def test_predictions_are_of_the_given_rows():
    rng = np.random.default_rng(2)
    rows, outcomes = rng.normal(size=(2, 7, 3)), rng.choice([-1.0, 1.0], size=(2, 7))
    found = paper.predicted(OnlineRidge(ridge=0.5), rows, outcomes)
    for i in range(2):
        gram, moment = 0.5 * np.eye(3), np.zeros(3)
        for t in range(7):
            x = rows[i, t]
            expected = np.clip(x @ np.linalg.solve(gram, moment), -1, 1)
            assert found[i, t] == pytest.approx(expected, abs=1e-12)
            gram, moment = gram + np.outer(x, x), moment + outcomes[i, t] * x


def test_the_ratio_tends_to_its_limit(tiny):
    sample = tiny("growing-rows", {"cycles": 14})
    grown = {name: np.diff(sample.measures[name], axis=1)[:, -1] / 5 for name in paper.AGENTS}
    np.testing.assert_allclose(grown["ridge"], 3.0, rtol=1e-3)  # a row of each of 5 axes
    np.testing.assert_allclose(grown["forward"], 9 / 16, rtol=1e-3)
