"""The environments of russac2019 against the paper's, its rules, and tiny runs."""

import numpy as np

from leaderboards.papers.russac2019 import changing_environments as paper
from leaderboards.papers.verdicts import Verdict


def test_features_are_the_papers():
    rows = paper.rows(4000)
    length = np.linalg.norm(rows, axis=1)
    assert length.max() <= 1 + 1e-12
    # The disc is pi / 4 of the square; the rest is cut to its edge.
    assert abs((length > 1 - 1e-9).mean() - (1 - np.pi / 4)) < 0.02
    assert np.abs(rows.mean(axis=0)).max() < 0.05


def test_variation_and_tuning_are_those_of_the_papers_code():
    assert np.isclose(paper.variation(paper.CORNERS), 5.414213562373095)
    own = paper.agents(paper.CORNERS, 6000)
    assert np.isclose(own["D-LinUCB"].discount, 0.9941173985691094)
    assert own["SW-LinUCB"].window == 170
    turned = paper.turning(6000)
    assert turned.shape == (3001, 2)
    assert np.isclose(paper.variation(turned), np.pi / 2, rtol=1e-4)
    np.testing.assert_allclose(turned[[0, -1]], [[1, 0], [0, 1]], atol=1e-12)


def test_rule(judged):
    of = {"D-LinUCB / LinUCB": 0.5, "SW-LinUCB / LinUCB": 1.2, "D-LinUCB / SW-LinUCB": 2.0}
    for claim in ("abrupt-changes", "slow-changes"):
        assert list(judged(claim, of).values()) == [Verdict.REPRODUCED, Verdict.NOT_REPRODUCED]


def test_abrupt_changes_at_a_tiny_size(tiny):
    assert len(tiny("abrupt-changes", {"horizon": 120}).rounds) == 120


def test_slow_changes_at_a_tiny_size(tiny):
    tiny("slow-changes", {"horizon": 120})
