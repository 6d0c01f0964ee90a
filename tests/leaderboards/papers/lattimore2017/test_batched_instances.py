"""The rule on IDS and rarely switching OFUL, the instances, and a tiny run."""

import numpy as np
import pytest

from leaderboards.papers.lattimore2017 import batched_instances as paper
from leaderboards.papers.verdicts import Verdict


def test_the_rule_judges_both_radii_and_nothing_else(judged):
    place = "d = 2, eps = 0.01"
    numbers = {
        f"IDS / {paper.THEOREM}, {place}": 0.8,
        f"IDS / {paper.AUTHORS}, {place}": 0.2,
        f"IDS / {paper.PHASED}, {place}": 2.0,
    }
    assert judged("ids-and-batches", numbers) == {
        f"IDS / {paper.THEOREM}, {place}": Verdict.NOT_REPRODUCED,
        f"IDS / {paper.AUTHORS}, {place}": Verdict.REPRODUCED,
    }


def test_instances():
    np.testing.assert_allclose(paper.instance(2, 0.1), [[0, 1], [0.9, 0.2], [1, 0]])
    expected = [[0, 1, 0], [0, 0, 1], [0.9, 0.2, 0], [0.9, 0, 0.2], [1, 0, 0]]
    np.testing.assert_allclose(paper.instance(3, 0.1), expected)


def test_the_authors_radius():
    assert paper.agents_of(2)[paper.AUTHORS].radius == pytest.approx(48.56, abs=0.01)


def test_a_tiny_run(tiny):
    sample = tiny("batched-instances", {"dims": [2], "part": 0.02})
    assert len(sample.measures) == 8
    found = paper.ratios(sample)
    own, other = (f"regret of {name}, d = 2, eps = 0.2" for name in ("IDS", "phases"))
    assert found["IDS / phases, d = 2, eps = 0.2"].value == pytest.approx(
        found[own].value / found[other].value
    )
