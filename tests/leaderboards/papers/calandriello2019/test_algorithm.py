"""The recomputed formulas: no run departs from them, and each departure is seen."""

import numpy as np
import pytest

from agents import BKB
from leaderboards.papers.calandriello2019 import algorithm as paper
from leaderboards.papers.claim import Finding
from leaderboards.papers.verdicts import Verdict
from leaderboards.rank.interval_estimates import Estimate

(CLAIM,) = paper.CLAIMS
SEEDS = [3, 4, 7]


@pytest.fixture(scope="module")
def sample():
    return paper.recomputed(SEEDS, horizon=40, n_arms=15)


def test_a_tiny_run(sample):
    alone = paper.recomputed([4], horizon=40, n_arms=15)
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
    parts = Finding.of(CLAIM, sample, True).parts
    assert {parts[name] for name in parts if name.startswith("runs")} == {Verdict.REPRODUCED}
    assert len(parts) == 4 * 4 + 2


@pytest.mark.parametrize(
    ("agent", "seen"),
    [
        (BKB(qbar=2.0, ridge=paper.RIDGE, radius=0.0), {"radius", "choice"}),
        (BKB(qbar=2.0, ridge=2 * paper.RIDGE), {"mean", "variance", "radius"}),
    ],
)
def test_another_agent_is_seen(monkeypatch, agent, seen):
    monkeypatch.setattr(paper, "AGENTS", {"BKB, released": agent})
    numbers = paper.differences(paper.recomputed(SEEDS, horizon=40, n_arms=15))
    parts = paper.judge(numbers)
    for check in seen:
        assert parts[f"runs of another {check}, BKB, released"] is Verdict.NOT_REPRODUCED


def test_a_difference_that_is_not_a_number_is_one(sample):
    measures = dict(sample.measures)
    measures["BKB, theory, mean"] = np.full(3, np.nan)
    numbers = paper.differences(sample._replace(measures=measures))
    assert numbers["runs of another mean, BKB, theory"].value == 1


def test_sizes_are_calibrated_from_both_sides():
    for value, verdict in ((1.0, Verdict.REPRODUCED), (0.9, Verdict.NOT_REPRODUCED)):
        limits = map(np.asarray, (value, value - 0.01, value + 0.01))
        found = paper.judge({"|S| / expected, BKB, released": Estimate(*limits)})
        assert set(found.values()) == {verdict}
